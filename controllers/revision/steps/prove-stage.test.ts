import { describe, expect, test } from 'vitest';
import { sample, sampleCrd, sampleDeployment } from '../../../apply/testing/sample-objects.ts';
import type { PhaseName } from '../../../apply/phases.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { Revision } from '../../../api/revision.ts';
import { NO_FAULT, type Judgement } from '../judgement.ts';
import { emptyMemory } from '../memory.ts';
import type { Stage, StageName, Trial } from '../rehearsal/decide-stage.ts';
import { unprovedAfter, type HeldBack, type ProofRun } from './prove-stage.ts';

const SERVICE = { namespace: 'ops', name: 'widget-service' };
const service = sample('v1', 'Service', SERVICE.name, { namespace: 'ops', spec: { selector: { app: 'widget' } } });
const pod = sample('v1', 'Pod', 'widget', { namespace: 'ops', spec: { serviceAccountName: 'widget' } });
const widget = sample('example.com/v1', 'Widget', 'one', { namespace: 'ops' });
const UNANSWERED: Judgement = { state: 'Working', reason: 'WebhookSilent', message: 'it does not answer' };

/** A CRD whose objects are converted by the webhook behind the Service. */
function converted(): KubeObject {
  const crd = sampleCrd('Widget');
  const conversion = { strategy: 'Webhook', webhook: { clientConfig: { service: SERVICE } } };
  return { ...crd, spec: { ...(crd['spec'] as object), conversion } };
}

interface Given {
  readonly objects?: readonly KubeObject[];
  readonly name?: StageName;
  /** The outcome of calling the webhooks. */
  readonly proof?: Judgement;
  /** Whether custom resources cannot be read. */
  readonly isUnreadable?: boolean;
}

interface Scene {
  readonly after: (phase: PhaseName) => Promise<HeldBack>;
  /** How often everything was noted as proved. */
  readonly completed: () => number;
  /** The kinds of the objects that were read as the manager. */
  readonly read: readonly string[];
}

/** A run whose stage is being applied. */
function scene({ objects = [converted(), service], name = 'whole', proof = NO_FAULT, isUnreadable }: Given): Scene {
  let completed = 0;
  const read: string[] = [];
  const run: ProofRun = {
    facts: { revision: { metadata: { uid: 'u1', namespace: 'ops' }, status: {} } as unknown as Revision },
    clients: {
      cluster: {
        get: async ({ kind }) => (read.push(kind), undefined),
        list: async () => [pod],
      },
      listPage: async () => ({ items: [widget] }),
      as: () => ({
        get: async () => {
          if (isUnreadable === true) throw new Error('conversion webhook failed: it does not answer');
          return widget;
        },
      }),
      read: async () => '',
    },
    rehearsal: {
      prove: async () => proof,
      complete: () => void (completed += 1),
      get isComplete() {
        return completed > 0;
      },
      end: () => 0.05,
    },
    memory: emptyMemory(),
    now: () => new Date(0),
    signal: new AbortController().signal,
  };
  const stage: Stage = { name, objects, wanted: objects, trials: new Map<KubeObject, Trial>(), webhooks: [] };
  return { after: (phase) => unprovedAfter(phase, run, stage), completed: () => completed, read };
}

describe('the phases after the workloads', () => {
  test.each<Given & { because: string }>([
    { proof: UNANSWERED, because: 'a webhook does not answer' },
    { isUnreadable: true, because: 'the API server cannot read custom resources' },
    {
      proof: UNANSWERED,
      objects: [sampleDeployment('widget')],
      because: 'a webhook does not answer, although there is no CRD',
    },
  ])('the phases after the workloads wait while $because, and the reason is kept', async (given) => {
    const { after, completed } = scene(given);
    const { unready, proof } = await after('workloads');
    expect(unready.map(({ health }) => health)).toEqual([{ state: 'Progressing', message: proof?.message }]);
    expect(proof).toMatchObject({ state: 'Working', reason: 'WebhookSilent' });
    expect(proof?.message).toContain('it does not answer');
    expect(completed()).toBe(0);
  });

  test('the phases after the workloads go on once all webhooks answer, which is proved once', async () => {
    const { after, completed } = scene({});
    expect(await after('workloads')).toMatchObject({ unready: [], proof: { state: 'Ready' } });
    expect(completed()).toBe(1);
  });
});

describe('a stage before the last one', () => {
  test.each<{ name: StageName; completed: number }>([
    { name: 'rehearsal', completed: 0 },
    { name: 'letIn', completed: 0 },
    { name: 'handOver', completed: 1 },
    { name: 'return', completed: 0 },
  ])('the stage $name ends with the next one, at once', async ({ name, completed }) => {
    const staged = scene({ name });
    const { unready, proof } = await staged.after('workloads');
    expect(unready).toHaveLength(1);
    expect(proof).toMatchObject({ state: 'Working', reason: 'Progressing' });
    expect(proof?.askAgainSeconds).toBeLessThan(1);
    expect(staged.completed()).toBe(completed);
  });

  test('the stage of a rehearsal reads no custom resource: no new Pod converts yet', async () => {
    const { after } = scene({ name: 'rehearsal', isUnreadable: true });
    expect((await after('workloads')).proof?.reason).toBe('Progressing');
  });
});

test('no webhook is called before the workloads are ready', async () => {
  const { after } = scene({ proof: UNANSWERED });
  expect(await after('crds')).toEqual({ unready: [] });
});

test('a Service of the same Revision is not read', async () => {
  const { after, read } = scene({});
  expect((await after('workloads')).proof?.state).toBe('Ready');
  expect(read).toEqual([]);
});

test('a Service outside of the Revision is read', async () => {
  const { after, read } = scene({ objects: [converted()] });
  await after('workloads');
  expect(read).toEqual(['Service']);
});
