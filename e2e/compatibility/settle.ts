/** Waits until each of many Subscriptions has come to an end, by one question at a time. */
import type { TestCluster } from '../cluster/cluster.ts';
import { list, type Judged } from '../lib/objects.ts';
import { until } from '../lib/until.ts';
import { outcomeOf, standingOf, type Outcome } from './verdict.ts';

/** Of the Subscription of every trial; its namespace is named after the package. */
export const NAME = 'operator';

const TIMEOUT_SECONDS = 300;

export interface Settled {
  readonly outcome: Outcome;
  /** Since the question was asked first. */
  readonly seconds: number;
}

/** By namespace, what became of the Subscription there, which is to run that bundle. */
export async function awaitSettled(
  cluster: TestCluster,
  wanted: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, Settled>> {
  const settling = new Settling(wanted);
  await until('every Subscription has come to an end', async () => settling.look(await subscriptions(cluster)), {
    timeoutSeconds: TIMEOUT_SECONDS,
  }).catch(() => settling.giveUp());
  return settling.settled;
}

type Subscription = Judged & { readonly metadata: { readonly namespace: string } };

function subscriptions(cluster: TestCluster): Promise<readonly Subscription[]> {
  return list<Subscription>(cluster, 'subscription');
}

/** Remembers since when each Subscription has its present state. */
class Settling {
  readonly settled = new Map<string, Settled>();
  readonly #began = performance.now();
  readonly #said = new Map<string, { readonly text: string; readonly since: number }>();
  readonly #wanted: ReadonlyMap<string, string>;

  constructor(wanted: ReadonlyMap<string, string>) {
    this.#wanted = wanted;
  }

  /** Whether all have come to an end. */
  look(found: readonly Subscription[]): boolean {
    for (const one of found) {
      const { name, namespace } = one.metadata;
      const bundle = this.#wanted.get(namespace);
      if (name === NAME && bundle !== undefined && !this.settled.has(namespace)) this.#judge(one, bundle);
    }
    return this.settled.size === this.#wanted.size;
  }

  /** What has not come to an end by now is unfinished. */
  giveUp(): void {
    const seconds = (performance.now() - this.#began) / 1000;
    for (const namespace of this.#wanted.keys()) {
      const message = this.#said.get(namespace)?.text ?? 'it has never been there';
      const outcome: Outcome = { outcome: 'Unfinished', reason: 'none', message };
      if (!this.settled.has(namespace)) this.settled.set(namespace, { outcome, seconds });
    }
  }

  #judge(subscription: Subscription, bundle: string): void {
    const { namespace } = subscription.metadata;
    const standing = standingOf(subscription, bundle);
    const now = performance.now();
    const { text, since } = this.#said.get(namespace) ?? { text: '', since: now };
    const says = JSON.stringify(standing);
    if (says !== text) this.#said.set(namespace, { text: says, since: now });
    const outcome = outcomeOf(standing, says === text ? (now - since) / 1000 : 0);
    if (outcome !== undefined) this.settled.set(namespace, { outcome, seconds: (now - this.#began) / 1000 });
  }
}
