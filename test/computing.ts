/** This thread's CPU milliseconds since the call, unaffected by other load. */
export function countComputing(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
}
