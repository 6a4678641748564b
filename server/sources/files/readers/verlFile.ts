import { isObject } from "../../../records/json";
import { recordFormat } from "../../../records/recordTypes";
import { flatten } from "../../../records/json";
import { readFlat } from "./parts/flat";
import type { LogReader } from "./reader";

/** verl's `file` logger: `<project>/<experiment>.jsonl`, a row `{"step": 31, "data": {…}}` a step. */
export const verlFile: LogReader = {
  id: "verl-file-1",
  title: "verl's file logger",
  parts: false,
  recognises(probe) {
    if (recordFormat(probe.file.name) !== "jsonl") return false;
    return probe.objects(2).some((object) => "step" in object && isObject(object.data));
  },
  read: (files, context) =>
    readFlat("jsonl", files, context, (record) =>
      isObject(record.data) ? { ...flatten(record.data), step: record.step } : undefined,
    ),
};
