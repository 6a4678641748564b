import { realpath } from "node:fs/promises";
import { confined } from "../../mcp/confined";
import { offer } from "../../mcp/tools";
import { createDuckdbAccelerator } from "../../node/duckdb";
import { memoryCache, runJob } from "../../operations/runJob";
import { inPlaceRunner } from "../../operations/runner";
import type { Command } from "../command";
import { InputError, type ExitCode } from "../io";

export const mcp: Command = {
  name: "mcp",
  usage: "mcp [FOLDER]",
  summary: "serves all of this to agents by the Model Context Protocol (stdio), within one folder",
  options: {},
  async run(engine, args): Promise<ExitCode> {
    if (args.positional.length > 1) throw new InputError("name one folder");
    const [folder = "."] = args.positional;
    const root = await realpath(engine.path(folder)).catch(() => undefined);
    if (root === undefined) throw new InputError("there is no such folder", { file: folder });
    const place = confined(engine.host, root);
    const cache = memoryCache();
    const { grammars } = engine;
    const jobs = inPlaceRunner(place.host, (job, host, onProgress, signal) =>
      runJob(job, host, onProgress, signal, { grammars, accelerator: createDuckdbAccelerator(), cache }),
    );
    // Standard output belongs to the protocol from here on.
    const { serve } = await import("../../mcp/serve");
    await serve(
      process.env.SCALING_LENS_VERSION ?? "0",
      offer(place, { jobs, grammars, documentation: engine.operating.documentation }),
    );
    return 0;
  },
};
