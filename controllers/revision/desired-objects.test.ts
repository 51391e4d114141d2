import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { prepareObjects } from '../../apply/prepare.ts';
import { createWeightedSlots } from '../../apply/weighted-slots.ts';
import { manifestSecrets } from '../manifest-secrets.ts';
import type { LoadRoom } from '../loads.ts';
import { describeManifests, packManifests } from '../manifests.ts';
import { prepareFor } from '../prepare-for.ts';
import { desiredObjects } from './desired-objects.ts';
import { RevisionMemories, type RevisionMemory } from './memory.ts';

const OWNER = { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', name: 'widgets', uid: 'w', controller: true };

/** Within a slot of its own, as each reconcile has. */
function asked(memories: RevisionMemories, revision: Revision): LoadRoom & { readonly memory: RevisionMemory } {
  return {
    memory: memories.of(revision),
    slot: createWeightedSlots({ most: 1 })(),
    signal: new AbortController().signal,
  };
}

/** A Revision of one ConfigMap with so many characters, and a count of the reads. */
async function scene(uid: string, characters: number, reads: string[]) {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: 'a'.repeat(characters) } };
  const packed = await packManifests([object]);
  const revision = {
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Revision',
    metadata: { namespace: 'ops', name: `widgets-${uid}`, uid, ownerReferences: [OWNER] },
    spec: { subscription: 'widgets', package: 'widgets', manifests: describeManifests(`widgets-${uid}`, packed) },
  } as unknown as Revision;
  const secrets = manifestSecrets(revision, packed.pieces);
  const get = async ({ name }: { readonly name: string }): Promise<KubeObject | undefined> => {
    const found = secrets.find(({ metadata }) => metadata.name === name);
    if (found !== undefined) reads.push(uid);
    return found;
  };
  return { revision, get };
}

it('objects of Revisions are loaded again if there are more than memory should hold', async () => {
  const reads: string[] = [];
  const scenes = await Promise.all(['1', '2', '3'].map((uid) => scene(uid, 8_100_000, reads)));
  const memories = new RevisionMemories();
  const client = {
    get: async (ref: { readonly name: string }) =>
      (await Promise.all(scenes.map(({ get }) => get(ref)))).find((found) => found !== undefined),
  };
  const [first, second, third] = scenes.map(({ revision }) => revision) as [Revision, Revision, Revision];
  for (const revision of [first, second, second, third, third, second, first])
    await desiredObjects({ client, memories }, revision, asked(memories, revision));
  expect(reads).toEqual(['1', '2', '3', '1']);
});

it('objects of a Revision are loaded once during its roll-out, and again after that', async () => {
  const packed = await packManifests([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }]);
  const revision = {
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Revision',
    metadata: {
      namespace: 'ops',
      name: 'widgets-1',
      uid: 'u',
      ownerReferences: [
        { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', name: 'widgets', uid: 's', controller: true },
      ],
    },
    spec: { subscription: 'widgets', package: 'widgets', manifests: describeManifests('widgets-1', packed) },
  } as unknown as Revision;
  const secrets = manifestSecrets(revision, packed.pieces);
  let reads = 0;
  const memories = new RevisionMemories();
  const client = {
    get: async ({ name }: { readonly name: string }): Promise<KubeObject | undefined> => {
      reads += 1;
      return secrets.find(({ metadata }) => metadata.name === name);
    },
  };
  const load = async (): Promise<readonly KubeObject[]> =>
    (await desiredObjects({ client, memories }, revision, asked(memories, revision))).objects;
  const [first] = await load();
  expect(first?.metadata).toMatchObject({ namespace: 'ops', name: 'x' });
  expect([(await load())[0] === first, reads]).toEqual([true, 1]);
  memories.drop(revision, 'settled');
  await load();
  expect(reads).toBe(2);
});

it('objects that were prepared while their manifests were stored are neither read nor prepared again', async () => {
  const reads: string[] = [];
  const { revision, get } = await scene('u', 1, reads);
  const rendered = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }];
  const prepared = prepareObjects(rendered, prepareFor(revision));
  const memories = new RevisionMemories();
  const load = async (handed: object): Promise<readonly KubeObject[]> => {
    memories.drop(revision, 'settled');
    const deps = {
      client: { get },
      memories,
      handed: { weightFor: () => 1, take: async () => ({ rendered, ...handed }) },
    };
    return (await desiredObjects(deps, revision, asked(memories, revision))).objects;
  };
  expect((await load({ prepared }))[0]).toBe(prepared[0]);
  expect((await load({}))[0]).toEqual(prepared[0]);
  expect(reads).toEqual([]);
});
