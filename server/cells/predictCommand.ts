import { count, list, percent, plural } from "../core/numbers";
import { predict } from "../core/fit";
import { lawFor } from "../assessment/law";
import { side, TOO_FAR, tooFar } from "../assessment/verdict";
import { markdownTable } from "../report/print/cells";
import type { CommandInput, Part } from "./types";

/** What the law expects at the levels asked for. */
export async function predictCommand(input: CommandInput): Promise<Part[]> {
  const { fit } = await input.fit();
  const asked = input.query.predict ?? [];
  const axes = [...new Set([...fit.law.axes, ...asked.flatMap(({ levels }) => Object.keys(levels))])];
  const said = asked.map(({ levels, setting }) => {
    const { law, setting: used } = lawFor(fit, setting ?? fit.file.reference);
    const prediction = predict(law, levels);
    const far = prediction.successRate
      ? (tooFar(prediction.extrapolation, levels, law.ranges) ?? (prediction.outOfRange ? TOO_FAR : null))
      : null;
    const value =
      far !== null
        ? "unknown"
        : prediction.successRate
          ? `${percent(prediction.value.estimate)} [${percent(prediction.value.low)}, ${percent(prediction.value.high)}]`
          : `${count(prediction.value.estimate)} [${count(prediction.value.low)}, ${count(prediction.value.high)}]`;
    const notes = [
      ...(far === null ? [] : [far]),
      ...Object.entries(far === null ? prediction.extrapolation : {})
        .filter(([, factor]) => factor > 1.001)
        .map(([axis, factor]) => `${axis} ${count(factor)}× ${side(levels[axis], law.ranges[axis])} the runs`),
      ...prediction.assumed.map((axis) => `${axis} not given: the runs' mean, ${count(law.ranges[axis].centre)}`),
      ...prediction.held.map(({ axis, level }) => `${axis} held at ${count(level)}`),
      ...(setting !== undefined && used !== setting ? [`no fit of ${setting}; that of ${used} stands in`] : []),
    ];
    return { levels, value, notes };
  });
  const rows = said.map(({ levels, value, notes }) => [
    ...axes.map((axis) => (levels[axis] === undefined ? "" : count(levels[axis]))),
    value,
    list(notes),
  ]);
  const [first] = said;
  const text = first
    ? `${fit.file.response === "loss" ? "Loss" : "Success rate"} ${first.value}${first.notes.length > 0 ? ` (${list(first.notes)})` : ""}${said.length > 1 ? `, and ${plural(said.length - 1, "more row")}` : ""}.`
    : "No levels were asked for.";
  return [
    {
      kind: "table",
      text,
      markdown: `${fit.simulated ? "**Simulated data.** " : ""}${markdownTable(
        [...axes, fit.file.response === "loss" ? "loss (95 %)" : "success (95 %)", "note"],
        rows,
        axes.map((_, i) => i),
      ).replace(/^/, fit.simulated ? "\n\n" : "")}`,
    },
  ];
}
