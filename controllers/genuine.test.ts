import { describe, expect, test } from 'vitest';
import type { KubeObject, OwnerReference } from '../api/object.ts';
import type { Revision, RevisionSpec } from '../api/revision.ts';
import { createFakeCluster } from '../kube/testing/fake-cluster.ts';
import { configHash } from './config-hash.ts';
import { genuineOf, problemOf } from './genuine.ts';
import { packManifests } from './manifests.ts';
import { createRevision } from './subscription/revisions.ts';
import { catalog, revision, subscription } from './subscription/testing/facts.ts';

const OWNER: OwnerReference = {
  apiVersion: 'slipway.dev/v1alpha1',
  kind: 'Subscription',
  name: 'gadget',
  uid: 'u',
  controller: true,
};

interface Parts {
  readonly name?: string;
  readonly owners?: readonly OwnerReference[];
  readonly spec?: Partial<RevisionSpec>;
}

/** A Revision as the manager makes it, except for the changes of a case. */
function made({ name, owners, spec }: Parts = {}): Revision {
  const { metadata, ...rest } = revision(spec);
  return {
    ...rest,
    metadata: {
      ...metadata,
      ...(name !== undefined && { name }),
      ...(owners !== undefined && { ownerReferences: owners }),
    },
  };
}

const manifestsNaming = (...secrets: readonly string[]): RevisionSpec['manifests'] => ({
  ...made().spec.manifests,
  secrets: [...secrets],
});
const property = (value: string): Partial<RevisionSpec> => ({ properties: [{ type: 'olm.gvk', value }] });
const SECRET = 'gadget-1-aaaaaaaa';

describe('a Revision that the manager can have made', () => {
  const cases: readonly { readonly one: Revision; readonly because: string }[] = [
    { one: made(), because: 'everything follows from its Subscription, number and digest' },
    { one: made({ spec: { manifests: manifestsNaming(`${SECRET}-0`, `${SECRET}-1`) } }), because: 'it has two pieces' },
    {
      one: made({
        owners: [{ ...OWNER, kind: 'Application', apiVersion: 'argoproj.io/v1', controller: false }, OWNER],
      }),
      because: 'it has further owners',
    },
    {
      one: made({ owners: [{ ...OWNER, apiVersion: 'slipway.dev/v1' }] }),
      because: 'another version of the kind is the same kind',
    },
    { one: made({ spec: property('{"group":"example.com"}') }), because: 'its properties can be read' },
    {
      one: made({ spec: { configHash: 'of another spec', serviceAccountName: 'installer' } }),
      because: 'the Subscription named that account before',
    },
  ];
  test.each(cases)('a Revision is genuine: $because', ({ one }) => {
    expect(problemOf(one, subscription())).toBeUndefined();
  });

  test('a Revision is genuine as it is created, for Subscriptions with and without an account', async () => {
    for (const spec of [{}, { serviceAccountName: 'installer' }]) {
      const owner = subscription({ spec });
      const cluster = { ...createFakeCluster(), create: async (object: KubeObject) => object };
      const bundle = catalog({ versions: ['1.0.0'] }).content('gadget')?.bundles[0];
      if (bundle === undefined) throw new Error('there is no bundle');
      const created = await createRevision(cluster, {
        subscription: owner,
        revisions: [],
        number: 1,
        target: { bundle, catalog: 'main', channel: 'stable', configHash: configHash(owner) },
        bundle: { image: `registry.example/gadget@sha256:${'a'.repeat(64)}`, manifests: await packManifests([]) },
        approved: true,
        active: true,
      });
      expect(problemOf(created, owner)).toBeUndefined();
    }
  });
});

describe('a Revision that the manager cannot have made', () => {
  const cases: readonly { readonly one: Revision; readonly says: string; readonly because: string }[] = [
    { one: made({ owners: [] }), says: 'metadata.ownerReferences', because: 'it belongs to no Subscription' },
    {
      one: made({ owners: [{ ...OWNER, controller: false }] }),
      says: 'metadata.ownerReferences',
      because: 'its owner does not control it',
    },
    {
      one: made({ owners: [{ ...OWNER, uid: '' }] }),
      says: 'metadata.ownerReferences',
      because: 'its owner has no uid',
    },
    {
      one: made({ owners: [{ ...OWNER, apiVersion: 'operators.coreos.com/v1alpha1' }] }),
      says: 'metadata.ownerReferences',
      because: 'its owner is a Subscription of another group',
    },
    {
      one: made({ owners: [{ ...OWNER, name: 'store' }] }),
      says: 'spec.subscription',
      because: 'its owner is one Subscription and its spec names another',
    },
    {
      one: made({ owners: [{ ...OWNER, uid: 'earlier' }] }),
      says: 'uid',
      because: 'it belongs to an earlier Subscription of the name',
    },
    { one: made({ name: 'gadget-01' }), says: 'gadget-1', because: 'its name does not follow from its number' },
    { one: made({ name: 'mine' }), says: 'gadget-1', because: 'its name does not follow from its Subscription' },
    {
      one: made({ spec: { manifests: manifestsNaming('db-password') } }),
      says: 'db-password',
      because: 'it names a Secret of another owner',
    },
    {
      one: made({ spec: { manifests: manifestsNaming(`${SECRET}-0`, 'db-password') } }),
      says: 'db-password',
      because: 'it names a Secret of another owner besides its own',
    },
    {
      one: made({ spec: { manifests: manifestsNaming(`${SECRET}-0`, `${SECRET}-0`) } }),
      says: `${SECRET}-0`,
      because: 'it names a Secret twice',
    },
    { one: made({ spec: property('not json') }), says: 'spec.properties[0]', because: 'a property cannot be read' },
    {
      one: made({ spec: property('['.repeat(30_000)) }),
      says: 'spec.properties[0]',
      because: 'a property is deeply nested and incomplete',
    },
    {
      one: made({ spec: property(`${'['.repeat(30_000)}${']'.repeat(30_000)}`) }),
      says: 'spec.properties[0]',
      because: 'a property is nested too deep to be parsed',
    },
    {
      one: made({ spec: { package: 'store', subscription: 'gadget' } }),
      says: 'spec.package',
      because: 'it is of another package',
    },
    {
      one: made({ spec: { serviceAccountName: 'installer' } }),
      says: 'spec.serviceAccountName',
      because: 'the same configuration has no account',
    },
  ];
  test.each(cases)('a Revision is not genuine: $because', ({ one, says }) => {
    expect(problemOf(one, subscription())).toContain(says);
    expect(genuineOf([one, made()], subscription())).toHaveLength(1);
  });

  test('a Revision is not genuine if it drops the account that the same configuration has', () => {
    const owner = subscription({ spec: { serviceAccountName: 'installer' } });
    const one = made({ spec: { configHash: configHash(owner) } });
    expect(problemOf(one, owner)).toContain('spec.serviceAccountName');
  });
});

test('a Revision without its Subscription is judged by itself: its objects still have to be removed', () => {
  expect(problemOf(made({ owners: [{ ...OWNER, uid: 'gone' }] }), undefined)).toBeUndefined();
  expect(problemOf(made({ owners: [] }), undefined)).toContain('metadata.ownerReferences');
  expect(problemOf(made({ name: 'mine' }), undefined)).toContain('gadget-1');
});

test('a Revision is judged again when its Subscription has changed', () => {
  const one = made();
  const before = subscription();
  expect([before, subscription({ metadata: { uid: 'other' } }), before].map((owner) => problemOf(one, owner))).toEqual([
    undefined,
    expect.stringContaining('uid'),
    undefined,
  ]);
});
