/**
 * Remembers how long the removal of a late object has failed: an object that its account may not delete is not tried
 * without end. A restart begins the time again.
 */
import type { KubeObject } from '../../api/object.ts';
import { createRecent } from '../recent.ts';

/** As long as objects of an operator that was uninstalled are removed when they are made late. */
const TRIED_SECONDS = 600;

interface Failing {
  readonly since: Date;
  readonly isGivenUp: boolean;
}

export class LateAttempts {
  /** By uid. */
  readonly #failing = createRecent<Failing>();

  /** Whether its removal was given up. */
  isGivenUp({ metadata: { uid = '' } }: Pick<KubeObject, 'metadata'>): boolean {
    return this.#failing.get(uid)?.isGivenUp === true;
  }

  /** Notes that the removal failed; returns whether it is given up from now on. */
  failed({ metadata: { uid = '' } }: Pick<KubeObject, 'metadata'>, now: Date): boolean {
    const { since } = this.#failing.get(uid) ?? { since: now };
    const isGivenUp = now.getTime() - since.getTime() >= TRIED_SECONDS * 1000;
    this.#failing.set(uid, { since, isGivenUp });
    return isGivenUp;
  }
}
