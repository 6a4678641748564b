import type { SyntaxDocument } from "./tree";

const BY_ENDING: Readonly<Record<string, SyntaxDocument["syntax"]>> = {
  yaml: "yaml",
  yml: "yaml",
  toml: "toml",
  json: "json",
  jsonc: "json",
  sh: "shell",
  bash: "shell",
  sbatch: "shell",
  slurm: "shell",
  zsh: "shell",
  shellscript: "shell",
  py: "python",
  python: "python",
  ipynb: "python",
  makefile: "shell",
  mk: "shell",
};

/** The syntax of a file by its ending, or of VS Code's language id; YAML where neither says. */
export function syntaxOf(uriOrLanguage: string): SyntaxDocument["syntax"] {
  const name = nameOf(uriOrLanguage);
  return BY_ENDING[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] ?? "yaml";
}

/** By its name, or as VS Code's language id. */
export function isMakefile(uriOrLanguage: string): boolean {
  return /^(GNU)?makefile$|\.mk$/i.test(nameOf(uriOrLanguage));
}

/** A notebook's file; a cell in the editor is a document of its own, in its own language. */
export function isNotebookFile(uri: string): boolean {
  return /\.ipynb$/i.test(nameOf(uri)) && !uri.startsWith("vscode-notebook-cell:");
}

/** The last part of a URI's path, without query and fragment. */
export function nameOf(uri: string): string {
  const path = uri.replace(/[?#].*$/, "");
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The folder of a URI, without the slash at its end. */
export function folderOf(uri: string): string {
  return uri.slice(0, Math.max(0, uri.lastIndexOf("/")));
}

/** A place's path in a folder, as people write it; undefined for a place elsewhere. */
export function pathWithin(folderUri: string, uri: string): string | undefined {
  if (uri === folderUri) return "";
  if (!uri.startsWith(`${folderUri}/`)) return undefined;
  const path = uri.slice(folderUri.length + 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Joins a relative path to a folder; `..` goes up but never out of the root. */
export function joined(folder: string, path: string): string {
  const match = /^([a-z][\w+.-]*:\/\/[^/]*)?(.*)$/is.exec(folder);
  const origin = match?.[1] ?? "";
  const parts = path.startsWith("/") ? [] : (match?.[2] ?? "").split("/").filter((part) => part !== "");
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return `${origin}/${parts.join("/")}`;
}
