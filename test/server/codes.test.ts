import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DIAGNOSTIC_CODES, documentationOf } from "../../server/features/codes";

const page = readFileSync(join(__dirname, "../../docs/diagnostics.md"), "utf8");

describe("diagnostic codes", () => {
  it.each(DIAGNOSTIC_CODES)("%s has a section", (code) => {
    expect(page).toContain(`\n## ${code}\n`);
  });

  it("links lead to the section, by the anchor that Markdown gives a heading", () => {
    expect(documentationOf("allocation.suboptimal", "file:///x/docs")).toBe(
      "file:///x/docs/diagnostics.md#allocationsuboptimal",
    );
    expect(documentationOf("nobody.knows", "file:///x/docs")).toBeUndefined();
    expect(documentationOf("config.parse", undefined)).toBeUndefined();
  });

  it("no section is left of a code that is gone", () => {
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, code]) => code);
    expect(headings).toEqual([...DIAGNOSTIC_CODES].sort((a, b) => headings.indexOf(a) - headings.indexOf(b)));
  });

  it("every code in the sources is a diagnostic with a section, or of a family of notes that is listed", () => {
    const families = new Set(
      [...page.slice(page.indexOf("# Notes")).matchAll(/`([a-z]+)\.\*`/g)].map(([, family]) => family),
    );
    const server = join(__dirname, "../../server");
    const sources = readdirSync(server, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(server, name), "utf8"));
    const codes = new Set(
      sources.flatMap((text) =>
        [...text.matchAll(/(?:code: |refused\(|\.(?:warn|info|error|note)\()"([a-z]+\.[a-z-]+)"/g)].map(
          ([, code]) => code,
        ),
      ),
    );
    expect(codes.size).toBeGreaterThan(80);
    expect(
      [...codes].filter(
        (code) => !(DIAGNOSTIC_CODES as readonly string[]).includes(code) && !families.has(code.split(".")[0]),
      ),
    ).toEqual([]);
  });
});
