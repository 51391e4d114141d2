/** Several streams as one. */
import { awaitedLater } from '../../../api/awaited-later.ts';

/** The values of all sources as they come. Ends when all have ended, and fails with the first failure; the others are closed. */
export async function* merged<Value>(sources: readonly AsyncGenerator<Value>[]): AsyncGenerator<Value> {
  const next = new Map(sources.map((source) => [source, step(source)]));
  try {
    while (next.size > 0) {
      const { source, result } = await Promise.race(next.values());
      if (result.done === true) {
        next.delete(source);
        continue;
      }
      next.set(source, step(source));
      yield result.value;
    }
  } finally {
    for (const source of next.keys()) void source.return(undefined).catch(() => undefined);
  }
}

interface MergeStep<Value> {
  readonly source: AsyncGenerator<Value>;
  readonly result: IteratorResult<Value, void>;
}

function step<Value>(source: AsyncGenerator<Value>): Promise<MergeStep<Value>> {
  return awaitedLater(source.next().then((result) => ({ source, result })));
}
