/**
 * For every name of a Subscription, a package or a namespace that the CRD accepts, the API server accepts all derived
 * names.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import { createFakeCluster } from '../kube/testing/fake-cluster.ts';
import { prepareObjects } from '../apply/prepare.ts';
import type { KubeObject } from '../api/object.ts';
import type { Revision } from '../api/revision.ts';
import { MAX_NAME } from '../api/subscription.ts';
import { secretNames } from './manifest-secrets.ts';
import { packManifests } from './manifests.ts';
import { createRevision } from './subscription/revisions.ts';
import { describeDependency } from './subscription/dependencies.ts';
import { prepareFor } from './prepare-for.ts';
import { catalog, subscription } from './subscription/testing/facts.ts';

const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL_VALUE = /^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;

const LOWER = 'abcxyz019'.split('');
/** A text with a length within bounds: letters at its ends, and the other characters anywhere between. */
function nameOf(most: number, inner: readonly string[]): fc.Arbitrary<string> {
  const between = fc.array(fc.constantFrom(...LOWER, ...inner), { maxLength: most - 2, size: 'max' });
  const end = fc.constantFrom(...LOWER);
  return fc.oneof(
    fc.tuple(end, between, end).map(([first, middle, last]) => [first, ...middle, last].join('')),
    fc.integer({ min: 1, max: most }).map((length) => 'a'.repeat(length)),
    end,
  );
}
const names = nameOf(MAX_NAME, ['-', '.']).filter((name) => OBJECT_NAME.test(name));
const packages = nameOf(253, ['-', '.', '_', 'A', 'Z']);
const namespaces = nameOf(63, ['-']);

function requireValid({ metadata }: KubeObject): void {
  expect(metadata.name).toMatch(OBJECT_NAME);
  expect(metadata.name.length).toBeLessThanOrEqual(253);
  for (const value of Object.values(metadata.labels ?? {})) expect(value).toMatch(LABEL_VALUE);
}

test('the API server accepts the names and labels of all objects that are made for a Subscription', async () => {
  const manifests = await packManifests([]);
  const property = fc.asyncProperty(
    names,
    namespaces,
    packages,
    fc.integer({ min: 1, max: 2 ** 31 - 1 }),
    async (...of) => {
      const [name, namespace, packageName, number] = of;
      const owner = subscription({ name, namespace, spec: { package: packageName } });
      const made: KubeObject[] = [];
      const cluster = {
        ...createFakeCluster(),
        create: async (object: KubeObject) => (made.push(object), object),
      };
      const bundle = catalog({ package: packageName, versions: ['1.0.0'] }).content(packageName)?.bundles[0];
      if (bundle === undefined) throw new Error('there is no bundle');
      const target = { bundle, catalog: 'main', channel: 'stable', configHash: 'x' };
      const prepared = { image: `registry.example/x@sha256:${'a'.repeat(64)}`, manifests };
      const facts = { subscription: owner, revisions: [], number, target, approved: true, active: true };
      const revision: Revision = await createRevision(cluster, { ...facts, bundle: prepared });
      expect(made.map(({ kind }) => kind)).toEqual(['Secret', 'Revision']);
      const applied = prepareObjects(
        [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }],
        prepareFor(revision),
      );
      for (const object of [...made, ...applied]) requireValid(object);
      for (const secret of secretNames(revision.metadata.name, manifests.digest, 32)) {
        expect(secret).toMatch(OBJECT_NAME);
        expect(secret.length).toBeLessThanOrEqual(253);
      }
    },
  );
  await fc.assert(property, { numRuns: runsOf(300) });
});

test('the API server accepts the names of Subscriptions for dependencies', () => {
  fc.assert(
    fc.property(packages, (packageName) => {
      const step = { package: packageName, catalog: 'main', channel: 'stable', bundle: 'b', version: '1.0.0' };
      const wanted = describeDependency(subscription(), step as unknown as Parameters<typeof describeDependency>[1]);
      requireValid(wanted);
      expect(wanted.metadata.name.length).toBeLessThanOrEqual(MAX_NAME);
    }),
    { numRuns: runsOf(1000) },
  );
});
