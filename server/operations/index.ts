import * as z from "zod";
import { calibrate } from "./calibrate";
import { check } from "./check";
import { compare } from "./compare";
import { diagnostic } from "./diagnostic";
import type { Engine } from "./engine";
import { explain } from "./explain";
import { fit } from "./fit";
import { forecast } from "./forecast";
import { grow } from "./grow";
import { InputError } from "./inputError";
import { inspect } from "./inspect";
import { measure } from "./measure";
import type { AnyOperation, Operation } from "./operation";
import { optimise } from "./optimise";
import { plan } from "./plan";
import { power } from "./power";
import { predict } from "./predict";
import { runs } from "./runs";

/** Every verb. A new one is a new file and a line here: agents and the editor's tools then have it too. */
export const OPERATIONS: readonly AnyOperation[] = [
  any(inspect),
  any(explain),
  any(optimise),
  any(grow),
  any(compare),
  any(check),
  any(plan),
  any(fit),
  any(calibrate),
  any(runs),
  any(predict),
  any(measure),
  any(forecast),
  any(power),
  any(diagnostic),
];

function any<Input, Answer>(operation: Operation<Input, Answer>): AnyOperation {
  const { name, summary, input, writes } = operation;
  return {
    name,
    summary,
    input,
    writes,
    async call(engine: Engine, given: unknown, signal?: AbortSignal): Promise<unknown> {
      const read = input.safeParse(given ?? {});
      if (!read.success) throw new InputError(z.prettifyError(read.error).replace(/\s*\n\s*/g, " "));
      return finite(operation.json(await operation.run(engine, read.data, signal), engine));
    },
  };
}

/** NaN and infinities are null, as JSON has it. */
function finite(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
