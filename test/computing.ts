/** Milliseconds that this thread has computed since: what others compute beside it does not count. */
export function countComputing(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
}
