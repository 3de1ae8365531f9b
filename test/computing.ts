/** Counts the CPU milliseconds of this thread, which other load does not affect. */
export function countComputing(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
}
