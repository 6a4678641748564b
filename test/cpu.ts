/** CPU that this process has used, in milliseconds: what a limit on work is held against, whatever else the machine does. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
