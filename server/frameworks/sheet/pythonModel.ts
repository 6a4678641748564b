import { known, unknown, type Fact } from "../../budget/budget";
import { entryOf } from "../../syntax/nodes";
import type { TreeNode } from "../../syntax/tree";
import type { Config } from "./config";
import { argumentOf, calledName, callsOf } from "./pythonData";

/** A model given by name, or loaded by name. */
export function modelIn(node: TreeNode | undefined): Fact<string> | undefined {
  if (!node) return undefined;
  if (node.kind === "scalar")
    return typeof node.value === "string" && node.value !== ""
      ? known(node.value, "config", { span: node.span, ...(node.via ? { note: node.via } : {}) })
      : undefined;
  if (node.kind === "map" && calledName(node) === "from_pretrained")
    return modelIn(argumentOf(node, "0", "pretrained_model_name_or_path", "model_name"));
  if (node.kind === "map" && node.callee !== undefined) return modelIn(entryOf(node, "from")?.value);
  return node.kind === "unknown" ? unknown(node.reason) : undefined;
}

/** The one model that a script loads, where the trainer's is an object. */
export function loadedModel(config: Config): Fact<string> | undefined {
  const loads = callsOf(config.variant, "from_pretrained").filter((call) =>
    /(^|\.)(Fast\w*|AutoModel\w*|\w*ForCausalLM|\w*ForConditionalGeneration)\.from_pretrained$/.test(call.callee ?? ""),
  );
  const models = loads.map(modelIn).filter((model) => model !== undefined);
  const [model] = models;
  if (!model) return undefined;
  return models.every((other) => other.value === model.value) ? model : unknown("several models are loaded");
}
