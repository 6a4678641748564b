/** What a metric's name says by itself, where no framework's sheet names it. */
export interface NameMeaning {
  readonly on: "evaluation" | "training";
  readonly tells: "success" | "score" | "reward";
  /** Whether the name says on which rollouts: a bare `success` does not. */
  readonly explicit: boolean;
}

/** Parts of a name that give it another meaning: what a checkpoint, an update or a timer does is no outcome of a task. */
const OTHER_MEANING = new Set(
  (
    "checkpoint checkpoints ckpt save saved saving load loaded loading upload download restore update updates updated " +
    "actor critic optim optimizer optimiser lr grad grads gradient loss losses kl entropy clip clipfrac ratio " +
    "timing time timer times perf performance throughput mfu memory mem gpu cpu system sys ray worker workers cache " +
    "format formatting length lengths len tokens token seqlen tag tags count counts num penalty bonus overlong " +
    "queue buffer retry retries request requests http api tool_call tool_calls parse parsing parser sandbox " +
    "error errors failure failures fail failed timeout timeouts truncated truncation clipped ratio_clip " +
    "advantage advantages value values returns logprob logprobs ppl perplexity aux"
  ).split(" "),
);
/**
 * Words that give a success another meaning within one part: `tool_call_success_rate` and `timeout_success` tell what a call or a
 * clock did, `json_accuracy` what the form was. The whole parts above count wherever they stand; a dataset may hold these words.
 */
const OTHER_WORD =
  /(^|[_.-])(format(s|ted|ting)?|tokens?|lengths?|len|loss|tools?|toolcalls?|calls?|calling|(code|function)_(exec|execution|run)|invocations?|actions?|time_?outs?|timed_out|pars(e|ed|ing|er|able|eable)|json|xml|yaml|schema|syntax|compil(e|ed|es|ing|ation)|executable|requests?|http|retr(y|ies)|errors?|failures?|truncat(ed|ion)|clipped|sandbox|checkpoints?|ckpt|save|saved|load|loaded|upload|download|updates?|penalty|bonus|overlong)([_.-]|$)/;

/** A part that says which figure of many is meant: none of these is a mean. */
const OTHER_FIGURE =
  /^(min|max|std|var|variance|median|sum|total_count|count|n|best|maj|majority|worst|p\d+|best@\d+|maj@\d+|worst@\d+|std@\d+|(pass|best|maj)(@|_at_)([2-9]|1\d+)(\/.*)?)$/;
const MEAN = /^(mean|avg|average|value|mean@\d+|avg@\d+|all|overall|total)$/;

const EVALUATION =
  /^(eval|evals|evaluation|evaluations|val|valid|validation|test|tests|testing|heldout|held[-_]out|dev|holdout|benchmark|benchmarks|val-core|val-env|eval[-_]rollout)$/;
const TRAINING =
  /^(train|training|rollout|rollouts|episode|episodes|env|envs|batch|reward|rewards|objective|generate|sampling)$/;

const SUCCESS =
  /^(success|successes?_rate|succ|sr|is_success|success_(once|at_end|mean|rate)|task_success|acc|accuracy|correct|correctness|is_correct|correct_rate|pass_rate|pass(@|_at_|_)?1|solved?|solve_rate|solved_rate|resolved?|resolve_rate|resolved_rate|win_rate|winrate|exact_match|goal_rate|goal_success|completion_rate)$/;
const SUCCESS_WORD =
  /(^|_)(success|success_rate|acc|accuracy|correct|correctness|correct_rate|pass_rate|pass_?1|solve_rate|solved|resolved|win_rate|exact_match)(_reward|_rewards|_score|_rate|_mean|_func|_fn|_reward_func|_reward_fn)?$/;
const SCORE = /^(score|scores|avg_score|mean_score|test_score|task_score)$/;
const REWARD =
  /^(reward|rewards|return|task_reward|avg_reward|mean_reward|reward_mean|episode_reward|episode_return|ep_rew_mean|ep_reward_mean|episode_reward_mean|raw_reward|avg_raw_reward)$/;

/** Whether a part of a name, such as what a `*` stands for, gives the whole another meaning. */
export function hasOtherMeaning(part: string): boolean {
  return OTHER_MEANING.has(part) || OTHER_FIGURE.test(part);
}

/** Whether a name such as `tool_call_success_rate`, or what stands before its success, says that of something else than a task. */
export function isOtherSuccess(part: string): boolean {
  return OTHER_WORD.test(part);
}

/** Whether a reward function's name says that it rewards a right answer: `accuracy_reward`, `correctness`. */
export function isAccuracyLike(name: string): boolean {
  return SUCCESS.test(name) || SUCCESS_WORD.test(name);
}

/** Whether a reward function's name says that it rewards the form of an answer: `format_reward`, `tag_count`, `soft_overlong_punishment`. */
export function isFormLike(name: string): boolean {
  return /(^|[_-])(format|formatting|length|len|tag|tags|xml|xmlcount|int|count|repetition|overlong|soft|strict|language|style|penalty|punishment|think|thinking|cosine)([_-]|$)/i.test(
    name,
  );
}

/** The meaning of a name in lower case, with `@` where MLflow writes `_at_`; undefined where it says no success. */
export function meaningOf(name: string): NameMeaning | undefined {
  const parts = name.split("/").filter((part) => part !== "");
  let first = parts[0] ?? "";
  let prefix: NameMeaning["on"] | undefined;
  // Trainers of Hugging Face write `eval_` before the name of a training metric.
  const underscored = parts.length > 0 ? /^(eval|val|valid|validation|test|train)_(.+)$/.exec(parts[0]) : null;
  if (underscored && !EVALUATION.test(parts[0])) {
    prefix = underscored[1] === "train" ? "training" : "evaluation";
    first = parts[0] = underscored[2];
  }
  if (parts.length === 0 || parts.some((part) => OTHER_FIGURE.test(part))) return undefined;
  let last = parts.length - 1;
  while (last > 0 && MEAN.test(parts[last])) last--;
  if (parts.some((part, at) => at !== last && OTHER_MEANING.has(part)) || OTHER_MEANING.has(parts[last]))
    return undefined;
  const said = parts[last].replace(/^(mean|avg|average)_(?=.)/, "").replace(/_(mean|avg|average)$/, "");
  if (isOtherSuccess(said)) return undefined;
  const isReward = parts.some((part) => part === "rewards" || part === "reward");
  const tells =
    SUCCESS.test(said) || SUCCESS_WORD.test(said)
      ? "success"
      : SCORE.test(said)
        ? "score"
        : REWARD.test(said)
          ? "reward"
          : undefined;
  if (tells === undefined) return undefined;
  const isEvaluation =
    prefix === "evaluation" || EVALUATION.test(first) || parts.slice(0, last).some((part) => EVALUATION.test(part));
  const isTraining =
    prefix === "training" || TRAINING.test(first) || parts.slice(0, last).some((part) => TRAINING.test(part));
  const explicit = isEvaluation || isTraining;
  // A bare success rate is what a script of one's own logs of its evaluations; a bare reward is the training's.
  const on = isEvaluation || (!isTraining && tells === "success" && !isReward) ? "evaluation" : "training";
  return { on, tells, explicit };
}

/** Names of one metric over several datasets: `eval/web/success` and `eval/shop/success` → `eval/*\/success`. */
export function familyOfName(name: string): string {
  const parts = name.split("/");
  return parts.length < 3 ? name : [parts[0], ...parts.slice(1, -1).map(() => "*"), parts[parts.length - 1]].join("/");
}
