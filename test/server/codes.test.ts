import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DIAGNOSTIC_CODES, documentationOf } from "../../server/features/codes";

const page = readFileSync(join(__dirname, "../../docs/diagnostics.md"), "utf8");

describe("diagnostic codes", () => {
  it.each(DIAGNOSTIC_CODES)("%s has a section", (code) => {
    expect(page).toContain(`\n## ${code}\n`);
  });

  it("links lead to the section, by the anchor that Markdown gives a heading", () => {
    expect(documentationOf("allocation.suboptimal", "file:///x/docs")).toBe("file:///x/docs/diagnostics.md#allocationsuboptimal");
    expect(documentationOf("nobody.knows", "file:///x/docs")).toBeUndefined();
    expect(documentationOf("config.parse", undefined)).toBeUndefined();
  });

  it("no section is left of a code that is gone", () => {
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, code]) => code);
    expect(headings).toEqual([...DIAGNOSTIC_CODES].sort((a, b) => headings.indexOf(a) - headings.indexOf(b)));
  });
});
