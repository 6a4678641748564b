import type { Framework } from "../framework";
import { nemoRl } from "./nemo-rl";
import { primeRl } from "./prime-rl";
import { verl } from "./verl";

/** Every framework that is read. Adding one: its file, a line here, a fixture. The first wins a tie. */
export const FRAMEWORKS: readonly Framework[] = [
  verl,
  primeRl,
  nemoRl,
];
