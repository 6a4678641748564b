/** Imports run one way (see ARCHITECTURE.md). Each rule names the rooms that a room must not look into. */
const never = (name, from, to, comment) => ({ name, severity: "error", comment, from, to });

module.exports = {
  forbidden: [
    never("core-looks-at-nothing", { path: "^server/core/" }, { path: "^(server/(?!core/)|extension/|renderer/|test/)" }, "core is pure maths"),
    never("core-has-no-node", { path: "^server/core/" }, { dependencyTypes: ["core"] }, "core runs anywhere"),
    never("configs-below-features", { path: "^server/configs/" }, { path: "^server/(runs|assessment|features|cli|node|server\\.ts|node\\.ts|browser\\.ts|cli\\.ts)" }, "configs know core only"),
    never("runs-below-features", { path: "^server/runs/" }, { path: "^server/(assessment|features|cli|node|server\\.ts|node\\.ts|browser\\.ts|cli\\.ts)" }, "runs know core and the framework readers"),
    never("assessment-below-features", { path: "^server/assessment/" }, { path: "^server/(features|session|cli|node|server\\.ts|node\\.ts|browser\\.ts|cli\\.ts)" }, "the assessment serves every surface"),
    never("features-below-server", { path: "^server/features/" }, { path: "^server/(session|cli|node|server\\.ts|node\\.ts|browser\\.ts|cli\\.ts)" }, "features are plain functions"),
    never("connection-only-in-server", { path: "^server/", pathNot: "^server/(server|node|browser)\\.ts$" }, { path: "vscode-languageserver/(lib/)?(node|browser)" }, "connection APIs live in the entries"),
    never("vscode-only-in-extension", { path: "^(server|renderer)/" }, { path: "^vscode$" }, "vscode is the extension host's"),
    never("renderer-uses-core-only", { path: "^renderer/" }, { path: "^(server/(?!core/)|extension/)" }, "the renderer runs in a web page"),
    never("extension-sees-protocol-only", { path: "^extension/" }, { path: "^(server/(?!protocol\\.ts|detect\\.ts)|renderer/)" }, "the extension talks to the server by protocol"),
    never("node-parts-apart", { path: "^(server|extension|renderer)/", pathNot: "^(server/(node/|cli/|node\\.ts$|cli\\.ts$|worker\\.node\\.ts$)|extension/(node\\.ts$|node/))" }, { dependencyTypes: ["core"], pathNot: "^vscode$" }, "everything else also runs in a browser"),
    never("no-cycles", {}, { circular: true }, "one way means no way back"),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    enhancedResolveOptions: { extensions: [".ts", ".mts", ".mjs", ".js", ".json"], exportsFields: ["exports"], conditionNames: ["import", "require", "node", "default"] },
    builtInModules: { add: ["vscode"] },
  },
};
