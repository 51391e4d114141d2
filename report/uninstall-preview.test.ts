import { describe, expect, test } from 'vitest';
import type { CustomResourceCount } from '../apply/custom-resources.ts';
import type { InventoryEntry } from '../apply/inventory.ts';
import { subscription } from './testing/objects.ts';
import { linesOfPreview, previewOf } from './uninstall-preview.ts';

const entry = (apiVersion: string, kind: string, name: string, namespace?: string): InventoryEntry => ({
  apiVersion,
  kind,
  name,
  uid: name,
  hash: 'h',
  ...(namespace !== undefined && { namespace }),
});
const CRD = entry('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'gadgets.example.com');
const INVENTORY = [
  CRD,
  entry('apps/v1', 'Deployment', 'gadget', 'ops'),
  entry('v1', 'ConfigMap', 'a', 'ops'),
  entry('v1', 'ConfigMap', 'b', 'ops'),
];
const resource = { apiVersion: 'example.com/v1', kind: 'Gadget', served: { plural: 'gadgets', namespaced: true } };
const counted = (count: CustomResourceCount['count']): ReadonlyMap<string, CustomResourceCount> =>
  new Map([[CRD.name, { resource, count, samples: count === 2 ? ['ops/x', 'dev/y'] : [], message: 'no answer' }]]);

describe('the preview of an uninstall', () => {
  test.each([
    { because: 'no custom resource exists', count: 0, policy: 'Retain', steps: ['workloads 1', 'configuration 2', 'crds 1'], stays: 0, state: 'Ready' }, // prettier-ignore
    { because: 'a CRD with objects stays', count: 2, policy: 'Retain', steps: ['workloads 1', 'configuration 2'], stays: 1, state: 'Ready' }, // prettier-ignore
    { because: 'the objects go first', count: 2, policy: 'Delete', steps: ['workloads 1', 'configuration 2', 'crds 1'], stays: 0, state: 'Ready' }, // prettier-ignore
    {
      because: 'nothing goes before the objects are gone',
      count: 2,
      policy: 'Block',
      steps: [],
      stays: 1,
      state: 'Blocked',
    },
    { because: 'it is not known whether there are objects', count: 'unknown', policy: 'Retain', steps: [], stays: 0, state: 'Unknown' }, // prettier-ignore
  ] as const)('counts in the order of the steps: $because', ({ count, policy, steps, stays, state }) => {
    const preview = previewOf(subscription(), { inventory: INVENTORY, counts: counted(count), policy });
    expect(preview.state).toBe(state);
    expect(preview.steps.map(({ name, objects }) => `${name} ${objects}`)).toEqual(steps);
    expect(preview.stays).toHaveLength(stays);
    expect(preview.customResources).toEqual(
      policy === 'Delete' ? [{ crd: CRD.name, objects: '2 (ops/x, dev/y)' }] : [],
    );
  });

  test('promises nothing while an uninstall is held, and says why', () => {
    const givenByOlm = { deleted: ['ClusterRole x'], stays: ['Role y'], held: 'It is on its way back to OLM' };
    const preview = previewOf(subscription(), { inventory: INVENTORY, counts: counted(0), givenByOlm });
    expect(preview).toMatchObject({ state: 'Held', steps: [], customResources: [], stays: [] });
    expect(linesOfPreview(preview)).toEqual(['An uninstall deletes nothing now', 'It is on its way back to OLM']);
  });

  test('takes the policy of the spec if none is named', () => {
    const spec = { uninstall: { objects: 'Delete', customResources: 'Block', dependencies: 'Retain' } } as const;
    expect(previewOf(subscription({ spec }), { inventory: INVENTORY, counts: counted(2) }).state).toBe('Blocked');
  });

  test('says which CRD stays and why', () => {
    const lines = linesOfPreview(previewOf(subscription(), { inventory: INVENTORY, counts: counted(2) }));
    expect(lines).toEqual([
      'An uninstall deletes 3 objects; custom resources: Retain',
      expect.stringMatching(
        /^Stays: CustomResourceDefinition\.apiextensions\.k8s\.io gadgets\.example\.com has 2 objects/,
      ),
    ]);
  });
});
