/**
 * One request for many that ask the same at once. All that ask while it is under way share the next one: no answer is older than
 * its question.
 */
export function createNextAnswer<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let running: Promise<unknown> | undefined;
  let next: Promise<Answer> | undefined;

  function begin(): Promise<Answer> {
    next = undefined;
    const answer = ask();
    const ended = answer
      .catch(() => undefined)
      .finally(() => {
        if (running === ended) running = undefined;
      });
    running = ended;
    return answer;
  }

  return () => (running === undefined ? begin() : (next ??= running.then(begin)));
}
