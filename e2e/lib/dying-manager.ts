/** A manager that is killed as soon as the API server has answered a write of a hand-over. */
import { changesObjects, describe as describeRequest } from './api-proxy.ts';
import type { FaultFor } from './fault-proxy.ts';

/** One manager after the other. */
export interface Lives {
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
}

export interface Dying {
  readonly faultFor: FaultFor;
  /** Resolves when the manager runs that was started last. */
  restarted(): Promise<void>;
}

/**
 * Each write once, by its content: some steps write the same object several times. Writes of the roll-out are left out.
 *
 * @param killed The writes after which it was killed; is added to.
 */
export function dyingManager(
  name: string,
  { killed, every }: { readonly killed: Set<string>; readonly every: number },
  { kill, start }: Lives,
): Dying {
  const rollOut = new RegExp(`/(revisions|deployments|secrets/${name}-)`);
  const seen = new Set<string>();
  let started: Promise<void> | undefined;
  // It may send several writes at once, and is killed for one of them.
  let isDying = false;
  return {
    faultFor(asked) {
      const content = asked.body.toString().replaceAll(/"(?:resourceVersion|lastTransitionTime)":"[^"]*",?/g, '');
      const write = `${describeRequest(asked)} ${content}`;
      if (isDying || !changesObjects(asked) || rollOut.test(asked.path) || seen.has(write)) return undefined;
      seen.add(write);
      if (seen.size % every !== 0) return undefined;
      killed.add(write);
      isDying = true;
      return {
        kind: 'interrupt',
        when: 'after',
        by: async () => {
          // It may write before it counts as ready; two that run at once would not be one that is killed.
          await started;
          await kill();
          started = start();
          isDying = false;
        },
      };
    },
    restarted: async () => started,
  };
}
