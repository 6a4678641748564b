import * as z from "zod";
import { inspectJson, unreadJson } from "../report/print/json";
import type { Judged } from "./engine";
import { files, fitChoice } from "./fields";
import { isUnread, judgeEach, type Unread } from "./judgeEach";
import type { Operation } from "./operation";

const input = z.strictObject({ files, ...fitChoice });

export const inspect: Operation<z.infer<typeof input>, readonly (Judged | Unread)[]> = {
  name: "inspect",
  summary: "what each config says, what success to expect, what it costs, and whether a better split is known",
  input,
  writes: false,
  run: (engine, { files: names, ...choice }, signal) => judgeEach(engine, names, choice, signal),
  /** One object for one file, a list for several. */
  json(judged) {
    const all = judged.map((one) =>
      isUnread(one) ? unreadJson(one.file, one.reason) : inspectJson(one.file, one.text, one.assessment),
    );
    return all.length === 1 ? all[0] : all;
  },
};
