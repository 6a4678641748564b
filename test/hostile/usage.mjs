// Loaded before a program: says, when it ends, what it took of processor (ms) and memory (bytes).
import { writeFileSync } from "node:fs";
process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeFileSync(
    process.env.USAGE_FILE,
    JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1000, memory: maxRSS * 1024 }),
  );
});
