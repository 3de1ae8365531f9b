/** So many are asked at once; one more waits for the next. */
const mostAtOnce = 200;

interface Waiting<Question, Answer> {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Joins short questions that come while one is under way: all of them are the next statement, so under load a statement
 * answers many. None shares an answer with a statement that began before it was asked.
 */
export function gather<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (question: Question) => Promise<Answer> {
  const waiting: Waiting<Question, Answer>[] = [];
  let isAsking = false;
  const goOn = async (): Promise<void> => {
    isAsking = true;
    while (waiting.length > 0) {
      const asked = waiting.splice(0, mostAtOnce);
      try {
        const answers = await ask(asked.map(({ question }) => question));
        for (const [index, { resolve }] of asked.entries()) resolve(answers[index] as Answer);
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    isAsking = false;
  };
  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      if (!isAsking) void goOn();
    });
}

/** As gather, for each pool by itself. */
export function gatherByPool<Pool extends object, Question, Answer>(
  ask: (pool: Pool, questions: readonly Question[]) => Promise<readonly Answer[]>,
): (pool: Pool, question: Question) => Promise<Answer> {
  const byPool = new WeakMap<Pool, (question: Question) => Promise<Answer>>();
  return (pool, question) => {
    let asker = byPool.get(pool);
    if (!asker) byPool.set(pool, (asker = gather((questions) => ask(pool, questions))));
    return asker(question);
  };
}
