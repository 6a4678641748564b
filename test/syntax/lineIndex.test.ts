import fc from "fast-check";
import { expect, it } from "vitest";
import { LineIndex } from "../../server/syntax/text";

it("lines begin where a split at every kind of break says", () => {
  const text = fc.array(fc.constantFrom("a", "\r", "\n", "\r\n")).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (one) => {
      const index = new LineIndex(one);
      expect(index.lineCount).toBe(one.split(/\r\n|\r|\n/).length);
      for (let at = 0; at <= one.length; at++) {
        const before = one.slice(0, at).replace(/\r$/, one[at] === "\n" ? "" : "\r");
        const lines = before.split(/\r\n|\r|\n/);
        expect(index.at(at).line).toBe(lines.length - 1);
      }
    }),
  );
});
