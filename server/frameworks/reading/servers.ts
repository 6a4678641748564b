import { type Fact, isKnown, known } from "../../budget/budget";
import { devicesIn } from "../../syntax/shell/serving";
import type { Config } from "../sheet/config";

/**
 * The GPUs of a training with those of the servers that its script starts beside it (a vLLM for rollouts, a judge, a
 * teacher). One that both are given, or that the trainer takes when it is given none by name, counts once.
 */
export function withServers(gpus: Fact<number>, config: Config): Fact<number> {
  const beside = config.textAt("--beside.devices");
  if (!isKnown(gpus) || beside === undefined) return gpus;
  const visible = config.peek("--env.CUDA_VISIBLE_DEVICES")?.node;
  if (visible && visible.kind !== "scalar") return gpus;
  const own = visible ? devicesIn(String(visible.value)) : undefined;
  const more = devicesIn(beside).filter((id) => (own ? !own.includes(id) : id >= gpus.value)).length;
  if (more === 0 || own?.length === 0) return gpus;
  return known(gpus.value + more, "derived", {
    ...(gpus.span ? { span: gpus.span } : {}),
    ...(gpus.file ? { file: gpus.file } : {}),
    note: `${gpus.note ?? gpus.value} + ${more} of the servers that this script starts`,
  });
}
