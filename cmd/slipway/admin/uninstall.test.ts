import { describe, expect, test } from 'vitest';
import type { CustomResourceCount } from '../../../apply/custom-resources.ts';
import type { InventoryEntry } from '../../../apply/inventory.ts';
import { subscription } from '../../../report/testing/objects.ts';
import { previewOf } from '../../../report/uninstall-preview.ts';
import { printPreview } from './uninstall.ts';

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
  test('names a single object, counts several of a kind, and says which CRD stays and why', () => {
    const text = printPreview(previewOf(subscription(), { inventory: INVENTORY, counts: counted(2) }));
    expect(text).toContain('An uninstall deletes 3 objects; custom resources: Retain\n');
    expect(text).toContain('Stays: CustomResourceDefinition.apiextensions.k8s.io gadgets.example.com has 2 objects');
    expect(text).toMatch(/workloads +1 +Deployment\.apps ops\/gadget\n/);
    expect(text).toMatch(/configuration +2 +2 ConfigMap\n/);
  });

  test('names the rights that OLM had given the operator: those that go, and those that stay with the reason', () => {
    const given = { deleted: ['ClusterRoleBinding x'], stays: ['ClusterRole y: it binds User jo too'] };
    const of = (policy?: 'Block'): string =>
      printPreview(previewOf(subscription(), { inventory: INVENTORY, counts: counted(2), policy, givenByOlm: given }));
    expect(of()).toContain('Deleted at last, as OLM had given it to the operator: ClusterRoleBinding x\n');
    expect(of()).toContain('Stays: ClusterRole y: it binds User jo too\n');
    expect(of('Block')).not.toContain('ClusterRoleBinding x');
  });

  test('names each hand-over from OLM that has not ended, on one line', () => {
    const preview = previewOf(subscription(), { inventory: INVENTORY, counts: counted(2) });
    expect(printPreview({ ...preview, handOvers: ['It is under\nway', 'y'] })).toMatch(/^It is under.way\ny\n/m);
  });
});
