import type { Command } from "../command";
import { calibrate } from "./calibrate";
import { check } from "./check";
import { compare } from "./compare";
import { completion } from "./completion";
import { explain } from "./explain";
import { fit } from "./fit";
import { forecast } from "./forecast";
import { grow } from "./grow";
import { inspect } from "./inspect";
import { ledger } from "./ledger";
import { mcp } from "./mcp";
import { measure } from "./measure";
import { optimise } from "./optimise";
import { plan } from "./plan";
import { power } from "./power";
import { predict } from "./predict";
import { runs } from "./runs";

/** Every command, in the order of the help. A new one is a new file and a line here. */
export const COMMANDS: readonly Command[] = [
  inspect,
  explain,
  fit,
  calibrate,
  predict,
  optimise,
  grow,
  compare,
  plan,
  check,
  runs,
  measure,
  forecast,
  ledger,
  power,
  mcp,
  completion(() => COMMANDS),
];
