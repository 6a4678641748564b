import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isPlaceholder, modelSize, withoutHome } from "../../server/budget/modelName";

describe("parameters from a model's name", () => {
  // Total and active parameters in billions; null is unknown.
  test.each<readonly [string, number | null, number | null]>([
    ["Qwen/Qwen3-8B", 8, 8],
    ["Qwen/Qwen3-0.6B", 0.6, 0.6],
    ["Qwen/Qwen2.5-0.5B-Instruct", 0.5, 0.5],
    ["font-info/qwen3-4b-sft-SGLang-RL", 4, 4],
    ["~/models/deepseek-llm-7b-chat", 7, 7],
    ["Qwen/Qwen3-4B-Instruct-2507", 4, 4],
    ["Qwen/Qwen3-30B-A3B", 30, 3],
    ["Qwen/Qwen3-235B-A22B-Instruct-2507", 235, 22],
    ["/path/to/Qwen3.6-35B-A3B", 35, 3],
    ["accounts/fireworks/models/qwen3p5-35b-a3b", 35, 3],
    ["qwen3_30ba3b", 30, 3],
    ["moonshotai/Moonlight-16B-A3B-Instruct", 16, 3],
    ["meta-llama/Llama-3.2-3B-Instruct", 3, 3],
    ["google/gemma-2-2b-it", 2, 2],
    ["deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", 1.5, 1.5],
    ["$PWD/checkpoint/multiturn-sft-qwen-2.5-32b-instruct/global_step_372", 32, 32],
    ["Qwen3-1.7B-FP8", 1.7, 1.7],
    ["HuggingFaceTB/SmolLM2-135M", 0.135, 0.135],
    ["nvidia/NVIDIA-Nemotron-3-Nano-4B-BF16", 4, 4],
    // Mixtures of experts whose name has no active part.
    ["unsloth/gpt-oss-20b-BF16", 20, null],
    ["openai/gpt-oss-120b", 120, null],
    ["$HOME/models/Qwen3-30B-MoE", 30, null],
    ["mistralai/Mixtral-8x7B-Instruct-v0.1", null, null],
    ["Qwen/Qwen1.5-MoE-A2.7B-Chat", null, 2.7],
    ["meta-llama/Llama-4-Scout-17B-16E-Instruct", null, 17],
    // No size in the name: nothing is looked up.
    ["PrimeIntellect/INTELLECT-3-Base", null, null],
    ["mistralai/Mistral-Nemo-Instruct-2407", null, null],
    ["zai-org/GLM-4.5-Air-Base", null, null],
    ["gpt2", null, null],
    ["my-model-v2", null, null],
    ["model-128k", null, null],
    ["distill-7b-to-1.5b", null, null],
    // A learning rate after a size is not a number of experts.
    ["/weka/walker-32b-dpo-like-7b-1e-6__42", null, null],
  ])("%s", (name, total, active) => {
    const size = modelSize(name);
    expect([size.parameters.value, size.activeParameters.value]).toEqual([
      total === null ? null : total * 1e9,
      active === null ? null : active * 1e9,
    ]);
  });

  test("any size written between separators is found, whatever stands around it", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 999 }),
        fc.constantFrom("Qwen3-", "org/Some-", "a_", "/m/x-"),
        fc.constantFrom("", "-Instruct", "_sft", "/step_10", "-2507"),
        (billions, before, after) => {
          expect(modelSize(`${before}${billions}B${after}`).parameters.value).toBe(billions * 1e9);
        },
      ),
    );
  });
});

describe("names people say", () => {
  test.each([
    ["/root/Qwen3-4B/", "Qwen3-4B/"],
    ["/home/ann/m/Qwen3-4B", "m/Qwen3-4B"],
    ["/path/to/Qwen3-4B", "/path/to/Qwen3-4B"],
    ["Qwen/Qwen3-4B", "Qwen/Qwen3-4B"],
    ["/root/", "/root/"],
  ])("%s is called %s", (name, said) => expect(withoutHome(name)).toBe(said));
  test.each([
    "ref_model_path",
    "model_path",
    "/path/to/your/model",
    "/path/to/model",
    "<path_to_config>",
    "your-model-name",
    "path_to_mm2",
    "YOUR_MODEL_PATH",
  ])("%s is a placeholder", (name) => expect(isPlaceholder(name)).toBe(true));
  test.each([
    "/path/to/Qwen3-4B-Instruct",
    "Qwen/Qwen3-8B",
    "PrimeIntellect/INTELLECT-3-Base",
    "gpt2",
    "/models/zai-org/GLM-4.5-Air-Base",
    "org/reward-model-7b",
  ])("%s is none", (name) => expect(isPlaceholder(name)).toBe(false));
});
