import {
  axisFits,
  calibration,
  curves,
  discounts,
  exponentForest,
  frontier,
  growth,
  split,
  synthesisRatio,
  type FigurePayload,
} from "../../../server/report/figures";
import { RUN_FORECASTS } from "./runForecasts";
import { FRONTIER_INPUT, GROWTH_INPUT, oneSetting, SPLIT_INPUT, threeSettings } from "./fixture";

/** Every figure, on made-up data. */
export function allFigures(): Record<string, FigurePayload> {
  const link = { link: "one" };
  const wide = { link: "three" };
  const action = [
    {
      kind: "apply-optimum" as const,
      label: "Optimise allocation",
      uri: "file:///ws/appworld.budget.yaml",
      experiment: "appworld-8b",
    },
  ];
  return {
    axisFits: axisFits(oneSetting(), link),
    withFiles: axisFits(oneSetting(), {
      link: "files",
      files: Object.fromEntries(
        oneSetting().runs.map((run) => [run.id, [`runs/${run.id.split("/").pop() ?? ""}/metrics.jsonl`]]),
      ),
    }),
    axisFitsThree: axisFits(threeSettings(), wide),
    forest: exponentForest(oneSetting(), link),
    forestThree: exponentForest(threeSettings(), wide),
    synthesisRatio: synthesisRatio(oneSetting(), link),
    discounts: discounts(oneSetting(), link),
    calibration: calibration(oneSetting(), link),
    split: split(SPLIT_INPUT, { ...link, actions: action }),
    splitFactors: split(
      {
        ...SPLIT_INPUT,
        axes: SPLIT_INPUT.axes
          .map(({ axis, current, optimum, pinned }) => ({ axis, current, optimum, ...(pinned ? { pinned } : {}) }))
          .filter(({ axis }) => axis !== "parameters"),
      },
      link,
    ),
    frontier: frontier(FRONTIER_INPUT, link),
    frontierWithoutGain: frontier({ ...FRONTIER_INPUT, gain: null, equalSuccessCost: null }, link),
    growth: growth(GROWTH_INPUT, link),
    curves: curves(RUN_FORECASTS, true, { link: "curves" }),
    curve: curves(RUN_FORECASTS.slice(0, 1), true, { link: "curve" }),
  };
}
