// Loaded before a program: says, when it ends, what it took of processor (ms) and memory (bytes).
import { readFileSync, writeFileSync } from "node:fs";

/** The most that was resident. What the system counts for a process begins with what its parent held; the kernel's own figure does not. */
function mostResident(maxRSS) {
  try {
    return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync("/proc/self/status", "utf8"))[1]) * 1024;
  } catch {
    return maxRSS * 1024;
  }
}

process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeFileSync(
    process.env.USAGE_FILE,
    JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1000, memory: mostResident(maxRSS) }),
  );
});
