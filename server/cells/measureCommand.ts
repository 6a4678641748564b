import { measureReport } from "../report/measure";
import type { Span } from "../syntax/text";
import { resolveSources } from "../operations/globs";
import { QueryFailure, type CommandInput, type Part } from "./types";

/** What a set of rollouts holds. */
export async function measureCommand({ query, context }: CommandInput, place: Span | undefined): Promise<Part[]> {
  const globs = query.measure ?? [];
  const uris = await resolveSources(context.host, context.baseUri, globs, context.signal);
  if (uris.length === 0) throw new QueryFailure(`Nothing matches ${globs.join(", ")}.`, place);
  const { measure } = await context.jobs.run(
    {
      kind: "measure",
      uris,
      folderUri: context.folderUri,
      ...(context.scaling && { scalingText: context.scaling.text }),
    },
    context.onProgress,
    context.signal,
  );
  const markdown = measureReport(measure);
  if (markdown === "") throw new QueryFailure("No rollouts were found in these files.", place);
  return [{ kind: "table", markdown, text: markdown.replace(/\n[\s\S]*/, "").replace(/^#+\s*/, "") }];
}
