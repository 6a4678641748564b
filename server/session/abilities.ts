import type { InitializeParams } from "vscode-languageserver";

/** What the client can do; everything the server offers has a fallback. */
export function clientAbilities(params: InitializeParams | null) {
  const workspace = params?.capabilities.workspace;
  const text = params?.capabilities.textDocument;
  return {
    pull: text?.diagnostic !== undefined,
    configuration: workspace?.configuration === true,
    configurationChange: workspace?.didChangeConfiguration?.dynamicRegistration === true,
    folders: workspace?.workspaceFolders === true,
    watch: workspace?.didChangeWatchedFiles?.dynamicRegistration === true,
    relativeWatch: workspace?.didChangeWatchedFiles?.relativePatternSupport === true,
    refreshLens: workspace?.codeLens?.refreshSupport === true,
    refreshHints: workspace?.inlayHint?.refreshSupport === true,
    refreshDiagnostics: workspace?.diagnostics?.refreshSupport === true,
  };
}
