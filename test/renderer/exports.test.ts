import { expect, test } from "vitest";
import { textUrl } from "../../renderer/exports";

test.each(["a,b\n1,2\n", "α → β · 42 %\u00a0[40–44]\n", '<svg xmlns="http://www.w3.org/2000/svg"/>'])(
  "a text is saved through a base64 data link, the only kind that notebook pages save: %j",
  async (text) => {
    const url = textUrl("text/csv", text);
    // What VS Code's notebook page does with it: it splits at ";base64,".
    const [type, data] = url.split(";base64,");
    expect(type).toBe("data:text/csv");
    expect(Buffer.from(data, "base64").toString("utf8")).toBe(text);
    expect(await (await fetch(url)).text()).toBe(text);
  },
);
