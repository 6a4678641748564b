/** mulberry32. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Things that people and editors leave in configs, and things that attackers do. */
const SPLICES = [
  "\u0000",
  "\ufeff",
  "\r\n",
  "\r",
  "\t",
  "  - ",
  ": ",
  "&a ",
  "*a",
  "<<: *a",
  "${",
  "${a.b}",
  "${oc.env:X,8}",
  "$((",
  "))",
  "`",
  '"',
  "'",
  "\\\n",
  "\\",
  "{",
  "}",
  "[",
  "]",
  "---\n",
  "...\n",
  "<<<<<<< HEAD\n",
  "=======\n",
  ">>>>>>> x\n",
  "#",
  "|\n",
  ">-\n",
  "!!python/object/apply:os.system ",
  "1e400",
  "-0",
  "NaN",
  ".inf",
  "0x1F",
  "1_000",
  "012",
  "<script>alert(1)</script>",
  "](command:workbench.action.terminal.new)",
  "![x](http://example.invalid/x.png)",
  "\u202e",
  "\ud83d\ude00",
  "\ud83d",
  "while true; do :; done\n",
  "for i in $(seq 1 99999999); do\n",
  "done\n",
  '"""',
  "lambda: ",
  "def f():\n",
  "__import__('os')",
  "[[a]]\n",
  "a = [1,\n",
  "null",
  "~",
  "x".repeat(5000),
  "[".repeat(2000),
  "{a: ".repeat(300),
  "- ".repeat(500),
];

/** A text with one to six faults. */
export function mutate(text: string, random: () => number): string {
  let result = text;
  const faults = 1 + Math.floor(random() * 6);
  for (let i = 0; i < faults; i++) {
    const at = Math.floor(random() * (result.length + 1));
    const length = Math.floor(random() ** 3 * 200);
    switch (Math.floor(random() * 6)) {
      case 0:
        result = result.slice(0, at) + SPLICES[Math.floor(random() * SPLICES.length)] + result.slice(at);
        break;
      case 1:
        result = result.slice(0, at) + result.slice(at + length);
        break;
      case 2:
        result = result.slice(0, at);
        break;
      case 3:
        result = result.slice(0, at) + result.slice(at, at + length) + result.slice(at);
        break;
      case 4:
        result = result.slice(0, at) + String.fromCharCode(Math.floor(random() * 256)) + result.slice(at + 1);
        break;
      default: {
        const other = Math.floor(random() * (result.length + 1));
        result = result.slice(0, at) + result.slice(other, other + length) + result.slice(at);
      }
    }
  }
  return result;
}

/** Bytes with one to four faults. */
export function mutateBytes(bytes: Uint8Array, random: () => number): Uint8Array {
  let result = Uint8Array.from(bytes);
  const faults = 1 + Math.floor(random() * 4);
  for (let i = 0; i < faults && result.length > 0; i++) {
    const at = Math.floor(random() * result.length);
    if (random() < 0.3) result = result.slice(0, at);
    else if (random() < 0.5) result[at] ^= 1 << Math.floor(random() * 8);
    else result.fill(Math.floor(random() * 256), at, Math.min(result.length, at + Math.floor(random() * 64)));
  }
  return result;
}
