/**
 * Callers that ask for the same key at the same time share one request. Callers within `freshMs` after a successful
 * request get the answer of that request. Failures are not cached.
 */
export function singleFlight<T, Key = void>(ask: (key: Key) => Promise<T>, freshMs = 0): (key: Key) => Promise<T> {
  const answers = new Map<Key, Promise<T>>();
  return (key) => {
    const known = answers.get(key);
    if (known) return known;
    const answer = ask(key);
    answers.set(key, answer);
    const forget = (): unknown => answers.delete(key);
    answer.then(() => (freshMs > 0 ? setTimeout(forget, freshMs).unref() : forget()), forget);
    return answer;
  };
}
