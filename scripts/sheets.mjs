/** What the sheets of server/frameworks/ say, as the generated files print it. */

const byName = (frameworks) => [...frameworks].sort((a, b) => a.name.localeCompare(b.name, "en"));

/** `server/signs.ts`: the words of all sheets together, as data. */
export function signs(frameworks) {
  const all = (kind) => [...new Set(frameworks.flatMap(({ signs }) => signs.words[kind] ?? []))].sort();
  const kinds = ["data", "shell", "python"].map((kind) => {
    const words = all(kind).map((word) => `    ${JSON.stringify(word)},`);
    return `  ${kind}: [\n${words.join("\n")}\n  ],`;
  });
  return `// Written by \`npm run generate\` from the signs of server/frameworks/. Patterns, in any capitals.\n\n// prettier-ignore\nexport const WORDS: Readonly<Record<"data" | "shell" | "python", readonly string[]>> = {\n${kinds.join("\n")}\n};\n`;
}

/** The sentence of the README, indented and wrapped as the text around it is. */
export function names(frameworks) {
  const list = byName(frameworks).map(({ name }) => name);
  const words = `${list.slice(0, -1).join(", ")} and ${list.at(-1)}.`.split(" ");
  const lines = [];
  for (const word of words) {
    if (lines.length > 0 && lines.at(-1).length + word.length < 115) lines.push(`${lines.pop()} ${word}`);
    else lines.push(`   ${word}`);
  }
  return lines.join("\n");
}

/** What each is written in. */
export function formats(frameworks) {
  return [
    "| framework | written in |",
    "|---|---|",
    ...byName(frameworks).map(({ name, docs }) => `| [${name}](${docs.url}) | ${docs.formats.join(", ")} |`),
  ].join("\n");
}

/** The keys that a field asks an empty config for, in order. */
function keysAsked(framework, field, Config) {
  const asked = [];
  const empty = { kind: "map", entries: [], span: { start: 0, end: 0 } };
  const config = new Config({ name: null, root: empty, flags: empty, command: null, anchor: empty.span }, "yaml", "");
  config.find = (path) => {
    if (!asked.includes(path.replaceAll("-", "_")) && !asked.includes(path)) asked.push(path);
    return undefined;
  };
  try {
    framework.fields[field]?.read(config);
  } catch {
    /* A read that needs a real config asks for nothing here. */
  }
  const told = asked.filter((path) => !/^(names|calls|locals|classes|imports)\b/.test(path));
  return told
    .filter((path) => !/^(trainer\.)?args\./.test(path) || told.every((other) => /args\./.test(other)))
    .slice(0, 3);
}

/** Where the fields stand, and in what unit. */
export function fieldsTable(frameworks, Config) {
  const cell = (framework, field) => {
    const spec = framework.fields[field];
    if (!spec) return "–";
    const keys = keysAsked(framework, field, Config)
      .map((key) => `\`${key}\``)
      .join(", ");
    return `${keys || "–"}${spec.unit ? ` (${spec.unit})` : ""}`.replaceAll("|", "\\|");
  };
  const durations = (framework) =>
    framework.knobs.duration
      .map((knob) => `\`${knob.paths.find((path) => path.startsWith("--")) ?? knob.paths[0]}\` (${knob.counts})`)
      .join(", ");
  return [
    "| framework | prompts per step | group size | duration | turns | response |",
    "|---|---|---|---|---|---|",
    ...byName(frameworks).map(
      (one) =>
        `| [${one.name}](${one.docs.url}) | ${cell(one, "promptsPerStep")} | ${cell(one, "groupSize")} | ${durations(one)} | ${cell(one, "maxTurns")} | ${cell(one, "maxResponseTokens")} |`,
    ),
  ].join("\n");
}
