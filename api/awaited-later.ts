/** A promise that is begun now and awaited later. */

/** The same promise. A rejection before it is awaited does not count as unhandled, which would end the process. */
export function awaitedLater<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}
