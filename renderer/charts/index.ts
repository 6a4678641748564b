import { axisFitsChart } from "./axisFits";
import type { ChartTemplate } from "./template";

/** Every chart the renderer can draw. */
export const CHARTS: readonly ChartTemplate[] = [axisFitsChart];
