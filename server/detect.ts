/**
 * Whether a document is worth waking up for. Pure and cheap (one pass over at most the first 200 KB), because the
 * extension asks it for every YAML, TOML, JSON, shell and Python document before anything is started.
 *
 * It may say yes too often (the server then finds no budget and shows nothing) but not too seldom.
 */

/** Languages that a budget can be written in, with the names VS Code gives them. */
export const DOCUMENT_LANGUAGES = ["yaml", "toml", "json", "jsonc", "shellscript", "python"] as const;

/** The language of notebook fit cells. */
export const QUERY_LANGUAGE = "scaling-query";

export type DocumentKind = "budget" | "scaling" | "query" | "framework";

const BUDGET_FILE = /\.budget\.(ya?ml|json|toml)$/i;
const SCALING_FILE = /(^|[\\/])scaling\.ya?ml$/i;
const READ_AT_MOST = 200_000;

/** Names that hardly occur outside one framework's configs: one is enough. */
const STRONG: Readonly<Record<"data" | "shell" | "python", readonly RegExp[]>> = {
  data: [
    /\bactor_rollout_ref\b/,
    /\bes_manager\b/,
    /\btrain_env_manager\b/,
    /\bn_samples_per_prompt\b/,
    /\bnum_generations(_per_prompt)?\b/,
    /\bgconfig\b/,
    /\borchestrator\b/,
    /\brollouts_per_example\b/,
    /\bnum_prompts_per_step\b/,
    /\brollout_batch_size\b/,
    /\bnum_samples_per_prompt_rollout\b/,
    /\bnum_unique_prompts_rollout\b/,
    /\brlhf_type\b/,
    /\bagent_proxy\b/,
    /\bnum_return_sequences_in_group\b/,
    /\btrl\s*:/,
    /\b(grpo|gspo|dapo|rloo|gigpo)\b/i,
    /\btrain_batch_size\b/,
    /\brollouts?\b/,
    /\bgroup_size\b/,
    /\bnum_trajectories\b/,
    /\brllm\b/,
    /\badv_estimator\b/,
    /\bgroups_per_batch\b/,
    /\bnemo_gym\b/,
    /\bskyrl/i,
    /\bmax_completion_length\b/,
    /\bactor_train\b/,
    /\breplay_buffer\b/,
    /\baccelerators\s*:/,
  ],
  shell: [
    /\bactor_rollout_ref\./,
    /\bmain_ppo\b/,
    /\bn[-_]samples[-_]per[-_]prompt\b/,
    /\brollout[-_.]batch[-_]size\b/,
    /\bes_manager\./,
    /\btrain_batch_size\s*=/,
    /\bnum_samples_per_prompt_rollout\b/,
    /\bnum_unique_prompts_rollout\b/,
    /\bgenerator\.n_samples_per_prompt\b/,
    /\bnum_generations\b/,
    /\bswift\s+rlhf\b/,
    /\btrl\s+grpo\b/,
    /\bgconfig\.n_samples\b/,
    /\bgrpo\.num_/,
    /\bgroup[-_]size\b/,
    /\bgroups_per_batch\b/,
    /\brllm\./,
    /\bagentgym\b/,
    /\buv run rl\b/,
    /\bskyrl/i,
    /\bverl\b/,
    /grpo/i,
    /\bopen_?rlhf\b/i,
    /\bopen_instruct\b/,
    /\brloo\b/i,
    /\bslime\b/,
    /\bragen\b/i,
    /\bareal\b/i,
    /\baxolotl\b/,
    /\bunsloth\b/,
    /\btinker\b/,
    /\bagentlightning\b/,
    /\btorchforge\b/,
    /\bnemo[-_]?rl\b/i,
    /\brllm\b/,
    /\bprime[-_]rl\b/,
  ],
  python: [
    /\bGRPOConfig\b/,
    /\bGRPOTrainer\b/,
    /\btinker_cookbook\b/,
    /\bgroups_per_(batch|step)\b/,
    /\btrajectories_per_group\b/,
    /\bagentlightning\b/,
    /\bactor_rollout_ref\b/,
    /\bnum_generations\s*=/,
    /\bgroup_size\s*=/,
    /\brollouts_per_example\b/,
    /\bn_samples_per_prompt\b/,
    /["']rollout["']\s*:/,
    /\bTrajectoryGroup\b/,
    /\bgather_trajectory_groups\b/,
    /\btrajectory_groups\b/,
    /\bFastLanguageModel\b/,
    /\bverifiers\b/,
    /\btinker\b/,
  ],
};

/** What kind of document this is for us, or null when it is none of ours. `uri` may be a path or a URI. */
export function documentKind(uri: string, languageId: string, text: string): DocumentKind | null {
  if (languageId === QUERY_LANGUAGE) return "query";
  if (!(DOCUMENT_LANGUAGES as readonly string[]).includes(languageId)) return null;
  if (BUDGET_FILE.test(uri)) return "budget";
  if (SCALING_FILE.test(uri)) return "scaling";
  const signals = languageId === "shellscript" ? STRONG.shell : languageId === "python" ? STRONG.python : STRONG.data;
  const head = text.length > READ_AT_MOST ? text.slice(0, READ_AT_MOST) : text;
  return signals.some((signal) => signal.test(head)) ? "framework" : null;
}

/** Whether anything should start for this document. */
export function isOurs(uri: string, languageId: string, text: string): boolean {
  return documentKind(uri, languageId, text) !== null;
}
