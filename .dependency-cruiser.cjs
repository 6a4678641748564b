/** Who may import whom, a line a room; what a line does not name is forbidden. ARCHITECTURE.md prints this table. */
const ROOMS = {
  core: [],
  syntax: [],
  records: ["core"],
  budget: ["syntax", "core"],
  rollouts: ["core", "records"],
  frameworks: ["budget", "syntax"],
  configs: ["frameworks", "rollouts", "budget", "syntax", "records", "core"],
  runs: ["frameworks", "budget", "records", "syntax", "core"],
  sources: ["runs", "rollouts", "records", "core"],
  assessment: ["configs", "runs", "budget", "syntax", "core"],
  operations: ["report", "assessment", "sources", "configs", "runs", "rollouts", "budget", "syntax", "core"],
  report: ["assessment", "rollouts", "budget", "syntax", "core"],
  features: ["report", "operations", "assessment", "configs", "budget", "syntax", "core"],
  cells: ["report", "operations", "assessment", "sources", "configs", "records", "syntax", "core"],
  node: ["report", "operations", "sources", "runs", "syntax"],
  cli: ["mcp", "node", "report", "operations", "assessment", "sources", "rollouts", "budget", "syntax", "core"],
  mcp: ["node", "report", "operations", "core"],
  session: ["features", "cells", "report", "operations", "assessment", "configs", "budget", "syntax", "core"],
  entries: ["session", "cli", "node", "report", "operations", "syntax"],
};

/** Files at the top of server/ that every room may see, core and syntax apart. */
const GROUND = "host\\.ts|protocol\\.ts|detect\\.ts|signs\\.ts";

/** Rooms that know Node; every other one also runs in a browser. */
const NODE_PARTS = "^(server/(node/|cli/|mcp/|entries/)|extension/(node\\.ts$|node/))";

const never = (name, from, to, comment) => ({ name, severity: "error", comment, from, to });
const ground = (room) => (room === "core" || room === "syntax" ? "" : `|${GROUND}`);
const rooms = Object.entries(ROOMS).map(([room, may]) =>
  never(
    room,
    { path: `^server/${room}/` },
    {
      path: "^(server|extension|renderer|test)/",
      pathNot: `^server/(${[room, ...may].map((one) => `${one}/`).join("|")}${ground(room)})`,
    },
    may.length === 0 ? `${room} imports no other room` : `${room} may import ${may.join(", ")}`,
  ),
);

module.exports = {
  forbidden: [
    ...rooms,
    never("core-has-no-node", { path: "^server/core/" }, { dependencyTypes: ["core"] }, "core runs anywhere"),
    never(
      "connection-only-in-entries",
      { path: "^server/", pathNot: "^server/(session/server\\.ts$|entries/)" },
      { path: "vscode-languageserver/(lib/)?(node|browser)" },
      "connection APIs live in the entries",
    ),
    never(
      "vscode-only-in-extension",
      { path: "^(server|renderer)/" },
      { path: "^vscode$" },
      "vscode is the extension host's",
    ),
    never(
      "renderer",
      { path: "^renderer/" },
      { path: "^(server/(?!core/)|extension/)" },
      "the renderer runs in a web page",
    ),
    never(
      "extension",
      { path: "^extension/" },
      { path: `^(server/(?!${GROUND})|renderer/)` },
      "the extension talks to the server by protocol",
    ),
    never(
      "node-parts-apart",
      { path: "^(server|extension|renderer)/", pathNot: NODE_PARTS },
      { dependencyTypes: ["core"], pathNot: "^vscode$" },
      "everything else also runs in a browser",
    ),
    never("no-cycles", {}, { circular: true }, "one way means no way back"),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    enhancedResolveOptions: {
      extensions: [".ts", ".mts", ".mjs", ".js", ".json"],
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default"],
    },
    builtInModules: { add: ["vscode"] },
  },
};
