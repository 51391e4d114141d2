/** The actions of a tenant in an attack, and the results that he sees. */
import type { Reason } from '../../../api/reasons.ts';
import { API_VERSION } from '../../../api/names.ts';
import { ApiError } from '../../../api/api-error.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { condition, isReady, list, pathOf, waitFor, type Judged, type Wanted } from '../../lib/objects.ts';
import { until } from '../../lib/until.ts';
import type { Act, Person, Persons } from '../in-cluster/persons.ts';
import { OWN, PLATFORM, TEAM } from './ways-scene.ts';

/** What the attacker would have, had it worked. */
export type Aim = 'gain' | 'destroy' | 'block' | 'read';

/**
 * What becomes of an attempt: the API server refuses it; it is accepted and comes to nothing; or the attacker's own
 * object says why, in a word.
 */
export type Ending = 'refused' | 'no effect' | Reason;

export interface Way {
  /** As docs/security.md lists it. */
  readonly name: string;
  readonly aim: Aim;
  readonly attempt: (attacker: Attacker) => Promise<Ending>;
  readonly defence: Ending;
  readonly because: string;
  /** Tried with the guide's rights only: it costs much, and more rights add nothing to it. */
  readonly once?: true;
}

export interface Attacker {
  /** For requests of the test itself, not of the attack. */
  readonly cluster: TestCluster;
  /** Sends a request as the tenant, or as an account of his namespace. */
  readonly send: (act: Act, as?: Person) => Promise<'refused' | 'no effect'>;
  /** Creates a Subscription of his own, to the package of its name if the spec has none. */
  readonly subscribe: (name: string, spec?: object, metadata?: object) => Promise<void>;
  /** Waits until his Subscription is Ready. */
  readonly install: (name: string, spec?: object) => Promise<void>;
  /** Deletes his Subscription, and waits until it is gone. */
  readonly uninstall: (name: string) => Promise<void>;
  /** Waits until his Subscription says why it is not Ready. */
  readonly reasonOf: (name: string, isFinal?: (reason: string) => boolean) => Promise<Reason>;
  /** Slipway's reports about his own objects: his Subscriptions and Revisions, and the events about them. */
  readonly read: () => Promise<string>;
}

const account = (name: string): Person => ({
  user: `system:serviceaccount:${TEAM}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${TEAM}`, 'system:authenticated'],
});
/** He may ask for a token of each. */
export const [INSTALLER, CRD_INSTALLER] = [account('installer'), account('crd-installer')] as const;

/** Paths of the API, in the attacker's namespace unless said otherwise. */
export const SUBSCRIPTIONS: string = pathOf('Subscription', undefined, TEAM);
export const REVISIONS: string = pathOf('Revision', undefined, TEAM);
export const SECRETS: string = pathOf('Secret', undefined, TEAM);
export const DEPLOYMENTS: string = pathOf('Deployment', undefined, TEAM);
export const PLATFORMS: string = pathOf('Subscription', undefined, PLATFORM);

export function post(path: string, body: object): Act {
  return { method: 'POST', path, body };
}

export function patch(path: string, body: object): Act {
  return { method: 'PATCH', path, body, type: 'application/merge-patch+json' };
}

/** Reasons that only say that work is under way. */
const BUSY = /^(Progressing|Installing|Upgrading|Uninstalling|Succeeded)$/;

export function openAttacker(cluster: TestCluster, persons: Persons, person: Person): Attacker {
  /** Of all objects that he has read: he reads the events about those that are gone, too. */
  const uids = new Set<string | undefined>();
  const of = (name: string): Wanted => ({
    kind: 'subscription',
    name,
    namespace: TEAM,
  });
  const send: Attacker['send'] = async (act, as = person) => {
    try {
      return (await persons.send(as, act)).outcome === 'accepted' ? 'no effect' : 'refused';
    } catch (error) {
      // What does not exist, or not under this method, is refused as well.
      if (error instanceof ApiError && error.code >= 400 && error.code < 500) return 'refused';
      throw error;
    }
  };
  const subscribe: Attacker['subscribe'] = async (name, spec = {}, metadata = {}) => {
    const manifest = {
      apiVersion: API_VERSION,
      kind: 'Subscription',
      metadata: { name, namespace: TEAM, ...metadata },
      spec: { package: name, ...OWN, ...spec },
    };
    if ((await send(post(SUBSCRIPTIONS, manifest))) === 'refused') throw new Error(`he may not create ${name}`);
  };
  const remove = (path: string): Promise<unknown> => send({ method: 'DELETE', path });
  return {
    cluster,
    send,
    subscribe,
    async install(name, spec) {
      await subscribe(name, spec);
      await waitFor(cluster, of(name), isReady);
    },
    async uninstall(name) {
      await remove(`${SUBSCRIPTIONS}/${name}`);
      const isGone = async (): Promise<boolean> =>
        !(await list(cluster, 'Subscription', { namespace: TEAM })).some(({ metadata }) => metadata.name === name);
      await until(`${name} is gone`, isGone);
    },
    async reasonOf(name, isFinal = (reason) => !BUSY.test(reason)) {
      const says = (one: Judged): string => condition(one, 'Ready')?.reason ?? 'Progressing';
      return says(await waitFor(cluster, of(name), (one) => isFinal(says(one)))) as Reason;
    },
    async read() {
      const kinds = ['Subscription', 'Revision'].map((kind) => list(cluster, kind, { namespace: TEAM }));
      // Of the administrator's Subscription there he reads everything.
      const objects = (await Promise.all(kinds)).flat().filter(({ metadata }) => !metadata.name.startsWith('astore'));
      for (const { metadata } of objects) uids.add(metadata.uid);
      const events = await list<{ regarding: { uid?: string } }>(cluster, 'Event', { namespace: TEAM });
      // Other events belong to earlier attempts.
      const seen = [...objects, ...events.filter(({ regarding }) => uids.has(regarding.uid ?? ''))];
      return JSON.stringify(seen);
    },
  };
}
