import { describe, expect, it } from "vitest";
import { aligned } from "../../server/syntax/aligned";
import { splice } from "../../server/syntax/text";

/** `text` with each value replaced, comments kept below one another. */
function edited(text: string, values: Readonly<Record<string, string>>): string {
  const changes = Object.entries(values).map(([from, newText]) => {
    const start = text.indexOf(from);
    return { span: { start, end: start + from.length }, newText };
  });
  return splice(text, aligned(text, changes));
}

describe("comments after edited values", () => {
  const BLOCK =
    "  tasks: 1_000          # unique\n  environments: 6       # apps\n  trajectories: 64      # rollouts\n";

  it("stay aligned, whether values grow or shrink", () => {
    expect(edited(BLOCK, { "1_000": "889", "6 ": "22 ", "64": "24" })).toBe(
      "  tasks: 889            # unique\n  environments: 22      # apps\n  trajectories: 24      # rollouts\n",
    );
  });

  it("keep one space where the pad is too short", () => {
    expect(edited("a: 1 # x\nb: 2 # y\n", { "1": "123456" })).toBe("a: 123456 # x\nb: 2 # y\n");
    expect(edited("a: 1   # x\nb: 2   # y\n", { "1": "123" })).toBe("a: 123 # x\nb: 2   # y\n");
  });

  it("move as they are where they are aligned with nothing", () => {
    expect(edited("a: 1  # x\nbcd: 2  # y\n", { "1": "12" })).toBe("a: 12  # x\nbcd: 2  # y\n");
    expect(edited("a: 1\n", { "1": "12" })).toBe("a: 12\n");
  });

  it("count the other changes of the line, closing marks and CRLF", () => {
    expect(edited("f(n=8,   # x\r\n  m=16)  # y\r\n", { "8": "128" })).toBe("f(n=128, # x\r\n  m=16)  # y\r\n");
    expect(edited("{ a: 10, b: 20 }   # x\n{ a: 30, b: 40 }   # y\n", { "10": "1", "20": "2" })).toBe(
      "{ a: 1, b: 2 }   # x\n{ a: 30, b: 40 }   # y\n",
    );
  });
});
