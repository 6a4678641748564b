export { queryCompletion } from "./completion";
export { queryDiagnostics } from "./diagnostics";
export { queryHover } from "./hover";
