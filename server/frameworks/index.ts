import type { Framework } from "./reading/read";
import { msSwift } from "./ms-swift";
import { openInstruct } from "./open-instruct";
import { openrlhf } from "./openrlhf";
import { art } from "./art";
import { tinker } from "./tinker";
import { verifiers } from "./verifiers";
import { nemoRl } from "./nemo-rl";
import { primeRl } from "./prime-rl";
import { axolotl } from "./axolotl";
import { torchforge } from "./torchforge";
import { trl } from "./trl";
import { unsloth } from "./unsloth";
import { verlAgent } from "./verl-agent";
import { agentgymRl } from "./agentgym-rl";
import { ragen } from "./ragen";
import { skyrl } from "./skyrl";
import { rllm } from "./rllm";
import { roll } from "./roll";
import { areal } from "./areal";
import { slime } from "./slime";
import { agentLightning } from "./agent-lightning";
import { verl } from "./verl";
import { easyr1 } from "./easyr1";
import { oat } from "./oat";
import { openReasonerZero } from "./orz";
import { pipelinerl } from "./pipelinerl";
import { torchtune } from "./torchtune";
import { rlinf } from "./rlinf";
import { trinity } from "./trinity";
import { chatlearn } from "./chatlearn";
import { xtuner } from "./xtuner";
import { tunix } from "./tunix";
import { atropos } from "./atropos";
import { nemoGym } from "./nemo-gym";
import { rl2 } from "./rl2";

/** Every framework that is read. Adding one: its file, a line here, a fixture. The first wins a tie. */
export const FRAMEWORKS: readonly Framework[] = [
  verl,
  primeRl,
  nemoRl,
  axolotl,
  torchforge,
  trl,
  unsloth,
  verlAgent,
  agentgymRl,
  ragen,
  skyrl,
  rllm,
  roll,
  areal,
  slime,
  msSwift,
  openInstruct,
  openrlhf,
  agentLightning,
  art,
  tinker,
  verifiers,
  easyr1,
  oat,
  openReasonerZero,
  pipelinerl,
  torchtune,
  rlinf,
  trinity,
  chatlearn,
  xtuner,
  tunix,
  atropos,
  nemoGym,
  rl2,
];
