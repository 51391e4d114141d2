import { describe, expect, test } from 'vitest';
import { KINDS as ALL_KINDS } from '../../../api/kinds.ts';
import { headerOf, KINDS, rowOf, valueAt } from './columns.ts';
import { INSTALLED, NOW, READY, revision, subscription, untyped } from '../../../report/testing/objects.ts';

const [SUBSCRIPTION, REVISION, CATALOG] = KINDS as [(typeof KINDS)[0], (typeof KINDS)[0], (typeof KINDS)[0]];
const narrow = { wide: false, namespaces: false, now: NOW };
const wide = { wide: true, namespaces: true, now: NOW };

describe('the columns of a kind', () => {
  test.each(KINDS)('of $kind are those that its CRD gives to kubectl', (kind) => {
    const printed = kind.columns.filter((column) => !(column.wide ?? false));
    expect(headerOf(kind, narrow)).toEqual(['NAME', ...printed.map(({ name }) => name.toUpperCase())]);
  });

  test.each(KINDS)('of $kind all have values, the further ones included', (kind) => {
    const [object] = SAMPLES.get(kind.kind) ?? [];
    const header = headerOf(kind, wide);
    const row = rowOf(kind, object as never, wide);
    expect(row).toHaveLength(header.length);
    const empty = header.filter((_, index) => row[index] === '');
    expect(empty).toEqual([]);
  });

  test('of a namespaced kind begin with the namespace if objects of all namespaces are shown', () => {
    expect(headerOf(SUBSCRIPTION, wide)[0]).toBe('NAMESPACE');
    expect(headerOf(CATALOG, wide)[0]).toBe('NAME');
  });

  test('are empty for an object without a status', () => {
    expect(rowOf(SUBSCRIPTION, untyped(subscription()), narrow)).toEqual(['gadget', 'gadget', '', '', '', '24h', '']);
  });
});

test('a row has the values of the object, with the condition of its type and an age', () => {
  const status = {
    installed: INSTALLED,
    available: { bundle: 'gadget.v2.0.0', version: '2.0.0' },
    conditions: [READY],
  };
  expect(rowOf(SUBSCRIPTION, untyped(subscription({ status })), narrow)).toEqual([
    'gadget',
    'gadget',
    '1.0.0',
    '2.0.0',
    'True',
    '24h',
    'gadget.v1.0.0 is installed and healthy',
  ]);
  expect(rowOf(REVISION, untyped(revision(1, '1.0.0')), narrow).slice(0, 5)).toEqual([
    'gadget-1',
    'gadget',
    '1.0.0',
    'Active',
    'true',
  ]);
});

test('every kind of Slipway has a table', () => {
  const kinds = (all: readonly { readonly kind: string }[]) => all.map(({ kind }) => kind).sort();
  expect(kinds(KINDS)).toEqual(kinds(ALL_KINDS));
});

test.each(['status', '.a..b', '.a[0]', '.a[?(@.x=="y")]', '{.a}'])(
  'a path of another form is a defect, not an empty column: %s',
  (path) => {
    expect(() => valueAt(untyped(subscription()), path)).toThrow('unknown form');
  },
);

const SAMPLES: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  [
    'Subscription',
    [
      subscription({
        status: {
          installed: INSTALLED,
          available: { bundle: 'gadget.v2.0.0', version: '2.0.0' },
          pending: { bundle: 'gadget.v2.0.0', version: '2.0.0', reason: 'Progressing' },
          conditions: [READY],
        },
      }),
    ],
  ],
  ['Revision', [revision(1, '1.0.0', { status: { conditions: [READY], plan: { inputs: 'x', risk: 'low' } } })]],
  [
    'Catalog',
    [
      {
        apiVersion: 'slipway.dev/v1alpha1',
        kind: 'Catalog',
        metadata: { name: 'team', creationTimestamp: '2026-01-01T00:00:00Z' },
        spec: { priority: 0 },
        status: {
          packages: 1,
          channels: 2,
          bundles: 3,
          lastChecked: '2026-01-01T00:00:00Z',
          lastChanged: '2026-01-01T00:00:00Z',
          created: '2026-01-01T00:00:00Z',
          digest: 'sha256:x',
          conditions: [READY],
        },
      },
    ],
  ],
  [
    'RegistryPolicy',
    [
      {
        apiVersion: 'slipway.dev/v1alpha1',
        kind: 'RegistryPolicy',
        metadata: { name: 'quay', creationTimestamp: '2026-01-01T00:00:00Z' },
        spec: { prefix: 'quay.io', verify: { enforcement: 'Require' } },
        status: { conditions: [READY] },
      },
    ],
  ],
]);
