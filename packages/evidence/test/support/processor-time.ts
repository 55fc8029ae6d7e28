/**
 * Milliseconds of processor time that this thread spends on the work: unlike those on the wall, they stay the same
 * however busy the machine is.
 */
export function processorMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
