import { axisFitsChart } from "./axisFits";
import { calibrationChart } from "./calibration";
import { curvesChart } from "./curves";
import { discountsChart } from "./discounts";
import { exponentForestChart } from "./exponentForest";
import { frontierChart } from "./frontier";
import { growthChart } from "./growth";
import { splitChart } from "./split";
import { synthesisRatioChart } from "./synthesisRatio";
import type { ChartTemplate } from "./template";

/** Every chart the renderer can draw. */
export const CHARTS: readonly ChartTemplate[] = [
  axisFitsChart,
  exponentForestChart,
  synthesisRatioChart,
  discountsChart,
  splitChart,
  frontierChart,
  calibrationChart,
  growthChart,
  curvesChart,
];
