import { describe, expect, test } from 'vitest';
import { sample, sampleCrd, sampleDeployment } from '../../apply/testing/sample-objects.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { ConversionCheck, Conversions } from './conversions.ts';
import { createGate, type Gate } from './gate.ts';
import type { StageName, Trial } from './rehearsal/stage.ts';
import type { Judgement } from './summarize.ts';

const revision = { metadata: { uid: 'u1' }, status: {} } as unknown as Revision;
const service = sample('v1', 'Service', 'widget-service', { namespace: 'ops', spec: { selector: { app: 'widget' } } });
const crd = sampleCrd('Widget');
const READY: Judgement = { state: 'Ready', reason: 'Succeeded', message: '' };
const SILENT: Judgement = { state: 'Working', reason: 'WebhookSilent', message: 'it does not answer' };

interface Given {
  readonly objects?: readonly KubeObject[];
  readonly name?: StageName;
  /** The outcome of calling the webhooks. */
  readonly proof?: Judgement;
  /** The outcome of reading custom resources. */
  readonly confirm?: (judgement: Judgement, check: ConversionCheck) => Promise<Judgement>;
}

interface Told extends Gate {
  /** How often `complete` was called. */
  completed(): number;
}

function gate({ objects = [crd, service], name = 'whole', proof = READY, confirm }: Given): Told {
  const readable = confirm ?? ((judgement: Judgement) => Promise.resolve(judgement));
  const conversions: Conversions = { confirm: (_revision, judgement, check) => readable(judgement, check) };
  const unread = { get: () => Promise.resolve(undefined), list: () => Promise.resolve([]) };
  const check = {
    cluster: unread,
    listPage: () => Promise.resolve({ items: [] }),
    as: () => unread,
    now: new Date(0),
    signal: new AbortController().signal,
  };
  let completed = 0;
  const rehearsals = {
    prove: () => Promise.resolve(proof),
    complete: () => void (completed += 1),
    isComplete: () => completed > 0,
    pause: () => 0.05,
  };
  const stage = { name, objects, wanted: objects, trials: new Map<KubeObject, Trial>(), webhooks: [] };
  const subject = { revision, subscription: undefined };
  const read = (): Promise<string> => Promise.resolve('');
  return { ...createGate({ conversions, rehearsals, subject, stage, check, read }), completed: () => completed };
}

const unreadable = (): Promise<Judgement> => Promise.resolve(SILENT);

describe('the phases after the workloads', () => {
  test.each<Given & { because: string }>([
    { proof: SILENT, because: 'a webhook does not answer' },
    { confirm: unreadable, because: 'the API server cannot read custom resources' },
    {
      proof: SILENT,
      objects: [sampleDeployment('widget')],
      because: 'a webhook does not answer, although there is no CRD',
    },
  ])('the phases after the workloads wait while $because, and the reason is kept', async (given) => {
    const closed = gate(given);
    const unready = await closed.confirm('workloads');
    expect(unready.map(({ health }) => health)).toEqual([{ state: 'Progressing', message: 'it does not answer' }]);
    expect(closed.answer()).toBe(SILENT);
    expect(closed.completed()).toBe(0);
  });

  test('the phases after the workloads go on once all webhooks answer, which is proved once', async () => {
    const open = gate({});
    expect(await open.confirm('workloads')).toEqual([]);
    expect(open.answer()?.state).toBe('Ready');
    expect(open.completed()).toBe(1);
  });
});

describe('a stage before the last one', () => {
  test.each<{ name: StageName; completed: number }>([
    { name: 'rehearsal', completed: 0 },
    { name: 'letIn', completed: 0 },
    { name: 'handOver', completed: 1 },
    { name: 'return', completed: 0 },
  ])('the stage $name ends with the next one, at once', async ({ name, completed }) => {
    const staged = gate({ name });
    expect(await staged.confirm('workloads')).toHaveLength(1);
    expect(staged.answer()).toMatchObject({ state: 'Working', reason: 'Progressing' });
    expect(staged.answer()?.askAgainSeconds).toBeLessThan(1);
    expect(staged.completed()).toBe(completed);
  });

  test('the stage of a rehearsal reads no custom resource: no new Pod converts yet', async () => {
    const staged = gate({ name: 'rehearsal', confirm: unreadable });
    await staged.confirm('workloads');
    expect(staged.answer()?.reason).toBe('Progressing');
  });
});

test('no webhook is called before the workloads are ready', async () => {
  const early = gate({ proof: SILENT });
  expect(await early.confirm('crds')).toEqual([]);
  expect(early.answer()).toBeUndefined();
});

test('a Service of the same Revision is not read', async () => {
  let found: unknown;
  const asking = gate({
    confirm: async (judgement, { cluster }) => {
      found = await cluster.get({ apiVersion: 'v1', kind: 'Service', namespace: 'ops', name: 'widget-service' });
      return judgement;
    },
  });
  await asking.confirm('workloads');
  expect(found).toBe(service);
});
