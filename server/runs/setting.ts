/** A model's family: its name without the size and what follows it. `Qwen3-8B-Base` → `Qwen3`. */
export function familyOf(model: string): string {
  const name = model.replace(/\/+$/, "").replace(/^.*\//, "");
  const size = /[-_ ]?\d+(?:\.\d+)?[bBmM](?![A-Za-z]).*$/.exec(name);
  return (size && size.index > 0 ? name.slice(0, size.index) : name) || name;
}

/** Model family, algorithm and domain in one label: the runs that are pooled. `""` when none is stated. */
export function settingOf(
  model: string | undefined,
  algorithm: string | undefined,
  domain: string | undefined,
): string {
  return [model && familyOf(model), algorithm, domain].filter((part) => part !== undefined && part !== "").join(" · ");
}
