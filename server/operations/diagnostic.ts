import * as z from "zod";
import { InputError } from "./inputError";
import type { Operation } from "./operation";

const input = z.strictObject({ code: z.string().min(1).describe("a diagnostic's code, such as batch.indivisible") });

export const diagnostic: Operation<z.infer<typeof input>, { readonly code: string; readonly markdown: string }> = {
  name: "diagnostic",
  summary: "what a diagnostic of a config means and how to fix it",
  input,
  writes: false,
  async run(engine, { code }) {
    const page = await engine.documentation?.("diagnostics.md");
    if (page === undefined) throw new InputError("the documentation is not here");
    const sections = page.split(/^(?=#{2,3} )/m);
    const found = sections.find((section) => section.split("\n", 1)[0].replace(/[#`\s]/g, "") === code);
    if (found === undefined) {
      const codes = sections.flatMap((section) => /^#+ `?([a-z]+\.[a-z-]+)`?\s*$/m.exec(section)?.[1] ?? []);
      throw new InputError(`there is no diagnostic "${code}"; there are ${codes.join(", ")}`);
    }
    return { code, markdown: found.trim() };
  },
  json: (answer) => answer,
};
