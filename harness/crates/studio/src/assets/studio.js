// Starts what the pages of the studio need.

import { startAnalyse } from "./analyse.js";
import { startAppearance } from "./appearance.js";
import { startBoardPage } from "./boardpage.js";
import { startColumns } from "./columns.js";
import { startCurves } from "./curves.js";
import { rememberParts, startLists } from "./lists.js";
import { startPgnFiles } from "./pgnfiles.js";
import { startPractice } from "./practice.js";
import { startSorting } from "./sorting.js";
import { startRunForm } from "./start.js";
import { startLive } from "./live.js";
import { mountViewers } from "./viewer.js";
import { startZoom } from "./zoom.js";

rememberParts();
mountViewers(document);
document.addEventListener("tench:replaced", (event) => mountViewers(event.target));
startAppearance();
startAnalyse();
startColumns();
startCurves();
startZoom();
startSorting();
startLists();
startLive();
startBoardPage();
startPractice();
startPgnFiles();
startRunForm();
