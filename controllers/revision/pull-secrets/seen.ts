/**
 * Which offers of pull secrets each Revision was rolled out with: a Revision whose objects are all in place is applied
 * again if they have changed since. After a restart each Revision with a copy, or with an offer, is applied once;
 * unchanged objects are not sent.
 */
import type { Revision } from '../../../api/revision.ts';
import { createRecent, type Recent } from '../../recent.ts';
import { hasCopies } from './add.ts';
import type { PullSecretOffers } from './offers.ts';

export class SeenOffers {
  readonly #seen: Recent<string> = createRecent();
  readonly #offers: PullSecretOffers | undefined;

  constructor(offers: PullSecretOffers | undefined) {
    this.#offers = offers;
  }

  get offers(): PullSecretOffers | undefined {
    return this.#offers;
  }

  /** Whether the Revision has to be applied, since its offers have changed. */
  isDue(revision: Revision): boolean {
    if (this.#offers === undefined) return false;
    const now = this.#offers.fingerprint(revision.metadata.namespace ?? '');
    const before = this.#seen.get(revision.metadata.uid ?? '');
    if (before !== undefined) return before !== now;
    return now !== '' || hasCopies(revision.status?.inventory ?? []);
  }

  /** Notes that the Revision is applied with the offers of this moment. */
  note({ metadata: { uid = '', namespace = '' } }: Revision): void {
    if (this.#offers !== undefined) this.#seen.set(uid, this.#offers.fingerprint(namespace));
  }
}
