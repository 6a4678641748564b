/**
 * What nbformat 4.5 asks of a notebook, in the words of its public schema: required keys, types, cell ids, MIME bundles. Returns one
 * line per fault; an empty list is a valid file.
 */
export function nbformatFaults(value: unknown): string[] {
  const faults: string[] = [];
  const need = (condition: boolean, where: string, what: string): void => {
    if (!condition) faults.push(`${where}: ${what}`);
  };
  const isObject = (it: unknown): it is Record<string, unknown> =>
    typeof it === "object" && it !== null && !Array.isArray(it);
  const isText = (it: unknown): boolean =>
    typeof it === "string" || (Array.isArray(it) && it.every((line) => typeof line === "string"));
  const only = (it: Record<string, unknown>, keys: readonly string[], where: string): void => {
    for (const key of Object.keys(it))
      need(keys.includes(key), where, `has a key ${key} that the format does not know`);
  };
  const bundle = (data: unknown, where: string): void => {
    if (!isObject(data)) return void need(false, where, "data must be an object");
    for (const [mime, content] of Object.entries(data)) {
      need(/^[\w.+-]+\/[\w.+-]+$/.test(mime), where, `${mime} is no MIME type`);
      if (!/^application\/(.*\+)?json$/.test(mime))
        need(isText(content), where, `${mime} must be text or lines of text`);
    }
  };
  const output = (it: unknown, where: string): void => {
    if (!isObject(it)) return void need(false, where, "an output must be an object");
    switch (it.output_type) {
      case "display_data":
        only(it, ["output_type", "data", "metadata"], where);
        need(isObject(it.metadata), where, "metadata must be an object");
        bundle(it.data, where);
        break;
      case "execute_result":
        only(it, ["output_type", "execution_count", "data", "metadata"], where);
        bundle(it.data, where);
        break;
      case "stream":
        need(typeof it.name === "string" && isText(it.text), where, "a stream needs a name and text");
        break;
      case "error":
        need(
          typeof it.ename === "string" && typeof it.evalue === "string" && Array.isArray(it.traceback),
          where,
          "an error needs ename, evalue and traceback",
        );
        break;
      default:
        need(false, where, `unknown output_type ${String(it.output_type)}`);
    }
  };

  if (!isObject(value)) return ["the file is no object"];
  only(value, ["cells", "metadata", "nbformat", "nbformat_minor"], "notebook");
  need(value.nbformat === 4, "notebook", "nbformat must be 4");
  need(
    typeof value.nbformat_minor === "number" && value.nbformat_minor >= 5,
    "notebook",
    "nbformat_minor must be 5 or more",
  );
  need(isObject(value.metadata), "notebook", "metadata must be an object");
  const info = isObject(value.metadata) ? value.metadata.language_info : undefined;
  if (info !== undefined)
    need(isObject(info) && typeof info.name === "string", "notebook", "language_info needs a name");
  const ids = new Set<unknown>();
  for (const [i, cell] of (Array.isArray(value.cells) ? value.cells : []).entries()) {
    const where = `cell ${i}`;
    if (!isObject(cell)) {
      need(false, where, "must be an object");
      continue;
    }
    need(
      typeof cell.id === "string" && /^[a-zA-Z0-9-_]{1,64}$/.test(cell.id),
      where,
      "needs an id of letters, digits, - and _",
    );
    need(!ids.has(cell.id), where, "shares its id");
    ids.add(cell.id);
    need(isObject(cell.metadata), where, "metadata must be an object");
    need(isText(cell.source), where, "source must be text");
    if (cell.cell_type === "code") {
      only(cell, ["id", "cell_type", "metadata", "source", "outputs", "execution_count"], where);
      need(
        cell.execution_count === null || Number.isInteger(cell.execution_count),
        where,
        "execution_count must be a whole number or null",
      );
      need(Array.isArray(cell.outputs), where, "outputs must be a list");
      if (Array.isArray(cell.outputs)) cell.outputs.forEach((each, k) => output(each, `${where}, output ${k}`));
    } else {
      need(
        cell.cell_type === "markdown" || cell.cell_type === "raw",
        where,
        `unknown cell_type ${String(cell.cell_type)}`,
      );
      only(cell, ["id", "cell_type", "metadata", "source", "attachments"], where);
    }
  }
  need(Array.isArray(value.cells), "notebook", "cells must be a list");
  return faults;
}
