// Starts what every page needs before it is seen. What only some pages have starts itself: the server names it.

import { startAnalyse } from "./analyse.js";
import { startAppearance } from "./appearance.js";
import { startColumns } from "./columns.js";
import { startFits } from "./fits.js";
import { rememberParts, startLists } from "./lists.js";
import { startNeighbours } from "./neighbours.js";
import { startSorting } from "./sorting.js";
import { startTicked } from "./ticked.js";
import { mountViewers } from "./viewer.js";

rememberParts();
mountViewers(document);
document.addEventListener("tench:replaced", (event) => mountViewers(event.target));
startAppearance();
startAnalyse();
startColumns();
startFits();
startSorting();
startLists();
startNeighbours();
startTicked();
