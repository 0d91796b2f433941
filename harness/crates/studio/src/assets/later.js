// Starts what changes nothing of a page before it is used: the first paint does not wait for it.

import { startCurves } from "./curves.js";
import { startLive } from "./live.js";
import { startZoom } from "./zoom.js";

startCurves();
startZoom();
startLive();
