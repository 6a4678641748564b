import { log } from "../log";
import type { Command } from "./command";

export const showLog: Command = {
  id: "scalingLens.showLog",
  title: "Show log",
  run() {
    log().show(true);
    return Promise.resolve();
  },
};
