import { isObject, type Json, type JsonObject } from "../records/json";

/** Words for people; they change with the content and never with the structure. */
const CONTENT = new Set([
  "description",
  "title",
  "examples",
  "example",
  "default",
  "$comment",
  "$id",
  "const",
  "summary",
  "help",
  "doc",
  "docstring",
  "enum",
]);

/**
 * The structure of an environment as one canonical text: its typed tools, the shape of its state, how it changes, and what
 * its verifier is asked. Descriptions, examples, defaults and values never change it, nor does the order of anything.
 * Undefined where none of them is stated.
 */
export function structureOf(parts: {
  readonly tools?: unknown;
  readonly state?: unknown;
  readonly transitions?: unknown;
  readonly verifier?: unknown;
}): string | undefined {
  const { tools, state, transitions, verifier } = parts;
  if (!stated(tools) && !stated(state) && !stated(verifier)) return undefined;
  return canonical({
    tools: toolsOf(tools),
    state: stateOf(state),
    transitions: interfaceOf(transitions),
    verifier: interfaceOf(verifier),
  });
}

function stated(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
}

function fromText(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** Tools by name with their parameters' types; OpenAI's, Anthropic's and MCP's ways of writing them come out alike. */
function toolsOf(raw: unknown): Json {
  const tools = fromText(raw);
  const list = Array.isArray(tools)
    ? tools
    : isObject(tools)
      ? Object.entries(tools).map(([name, tool]) => (isObject(tool) ? { name, ...tool } : { name }))
      : [];
  return list.map((tool) => toolOf(tool)).sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
}

function toolOf(raw: unknown): Json {
  if (!isObject(raw)) return { name: String(raw) };
  const tool = isObject(raw.function) ? raw.function : raw;
  const parameters = tool.parameters ?? tool.input_schema ?? tool.inputSchema ?? tool.args ?? null;
  const returns = tool.returns ?? tool.output_schema ?? tool.outputSchema ?? null;
  return { name: String(tool.name ?? ""), parameters: schemaOf(parameters), returns: schemaOf(returns) };
}

/** A JSON Schema without words and values; keys sorted by `canonical`, `required` and unions sorted here. */
function schemaOf(value: unknown, depth = 0): Json {
  if (depth > 24) return "…";
  if (Array.isArray(value))
    return value.map((item) => schemaOf(item, depth + 1)).sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
  if (!isObject(value)) return value === undefined ? null : (value as Json);
  const shape: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    // Under `properties` a key is a name, whatever it is called.
    if (key === "properties" && isObject(item))
      shape.properties = Object.fromEntries(
        Object.entries(item).map(([name, each]) => [name, schemaOf(each, depth + 1)]),
      );
    else if (!CONTENT.has(key)) shape[key] = schemaOf(item, depth + 1);
    else if (key === "enum") shape.enum = true;
  }
  return shape;
}

/** A schema as it is; of a state itself, the types of its fields. */
function stateOf(raw: unknown): Json {
  const value = fromText(raw);
  if (!stated(value)) return null;
  if (
    isObject(value) &&
    ("properties" in value ||
      "$schema" in value ||
      (typeof value.type === "string" && Object.keys(value).length <= 6 && !Object.values(value).some(isObject)))
  )
    return schemaOf(value);
  return shapeOf(value);
}

function shapeOf(value: unknown, depth = 0): Json {
  if (depth > 24) return "…";
  if (Array.isArray(value)) {
    const kinds = new Map(
      value.slice(0, 200).map((item) => {
        const shape = shapeOf(item, depth + 1);
        return [canonical(shape), shape] as const;
      }),
    );
    return [...kinds.keys()].sort().map((key) => kinds.get(key) as Json);
  }
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shapeOf(item, depth + 1)]));
  return value === null ? "null" : typeof value;
}

/** What is asked of a verifier or a transition: its kind by name, its fields by type. A program is told by its signature. */
function interfaceOf(raw: unknown): Json {
  const value = fromText(raw);
  if (!stated(value)) return null;
  if (typeof value === "string") {
    const definitions = [...value.matchAll(/\bdef\s+\w+\s*\(([^)]*)\)\s*(->\s*[^:\n]+)?/g)].map(
      (match) => `${match[1].replace(/\s+/g, "").replace(/=[^,]*/g, "")}${(match[2] ?? "").replace(/\s+/g, "")}`,
    );
    return definitions.length > 0 ? definitions.sort() : value.length <= 80 ? value.trim() : "text";
  }
  if (!isObject(value)) return shapeOf(value);
  const shape: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    if (CONTENT.has(key)) continue;
    shape[key] =
      /^(name|type|kind|class|method)$/.test(key) && typeof item === "string"
        ? item
        : isObject(item) && ("properties" in item || "type" in item)
          ? schemaOf(item)
          : shapeOf(item);
  }
  return shape;
}

/** JSON with sorted keys. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (isObject(value))
    return `{${Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
      .join(",")}}`;
  return JSON.stringify(value);
}
