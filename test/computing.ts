/**
 * Starts counting this thread's CPU time, which other load does not affect. Returns a function that returns the
 * milliseconds so far.
 */
export function countComputing(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
}
