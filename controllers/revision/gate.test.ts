import { describe, expect, test } from 'vitest';
import { sample, sampleCrd } from '../../apply/sample-objects.ts';
import type { Revision } from '../../api/revision.ts';
import type { ConversionCheck, Conversions } from './conversions.ts';
import { createGate, type Gate } from './gate.ts';
import type { Judgement } from './summarize.ts';

const revision = { metadata: { uid: 'u1' }, status: {} } as unknown as Revision;
const service = sample('v1', 'Service', 'widget-service', { namespace: 'ops', spec: { selector: { app: 'widget' } } });
const crd = sampleCrd('Widget');
const SILENT: Judgement = { state: 'Working', reason: 'WebhookSilent', message: 'it does not answer' };

function gate(
  objects = [crd, service],
  confirm: (judgement: Judgement, check: ConversionCheck) => Promise<Judgement> = () => Promise.resolve(SILENT),
): Gate {
  const conversions: Conversions = { confirm: (_revision, judgement, check) => confirm(judgement, check) };
  const unread = { get: () => Promise.resolve(undefined), list: () => Promise.resolve([]) };
  const check = {
    cluster: unread,
    listPage: () => Promise.resolve({ items: [] }),
    as: () => unread,
    now: new Date(0),
    signal: new AbortController().signal,
  };
  return createGate({ conversions, revision, objects, check });
}

describe('what follows the workloads', () => {
  test('waits while the API server cannot read custom resources, and the reason is kept', async () => {
    const closed = gate();
    expect(await closed.confirm('workloads')).toEqual([
      {
        ref: expect.objectContaining({ kind: 'CustomResourceDefinition', name: 'widgets.example.com' }) as object,
        health: { state: 'Progressing', message: 'it does not answer' },
      },
    ]);
    expect(closed.answer()).toBe(SILENT);
  });

  test('goes on once it can', async () => {
    const open = gate([crd], (judgement) => Promise.resolve(judgement));
    expect(await open.confirm('workloads')).toEqual([]);
    expect(open.answer()?.state).toBe('Ready');
  });
});

describe('nothing is asked', () => {
  test('before the workloads work', async () => {
    const early = gate();
    expect(await early.confirm('crds')).toEqual([]);
    expect(early.answer()).toBeUndefined();
  });

  test('of a Revision without CRDs', async () => {
    const bare = gate([service]);
    expect(await bare.confirm('workloads')).toEqual([]);
    expect(bare.answer()).toBeUndefined();
  });
});

test('a Service of the same Revision is not read', async () => {
  let found: unknown;
  const asking = gate([crd, service], async (judgement, { cluster }) => {
    found = await cluster.get({ apiVersion: 'v1', kind: 'Service', namespace: 'ops', name: 'widget-service' });
    return judgement;
  });
  await asking.confirm('workloads');
  expect(found).toBe(service);
});
