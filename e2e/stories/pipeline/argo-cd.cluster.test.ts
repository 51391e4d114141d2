/** The health check for Argo CD, case by case, by the interpreter that Argo CD has built in. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WAITS_FOR_A_TIME, WAITS_FOR_APPROVAL } from '../../../api/reasons.ts';
import { provideBinaries } from '../../cluster/binaries.ts';
import { kstatusOf, type KstatusObject } from '../../lib/kstatus.ts';
import { argoHealthOf } from './argo-cd.ts';

let glua: string;
const folder = mkdtempSync(join(tmpdir(), 'slipway-argo-cd-'));
beforeAll(async () => {
  glua = (await provideBinaries(['glua'], () => undefined)).get('glua')!;
});
afterAll(() => rmSync(folder, { recursive: true }));

const is = (type: string, status: string, message = 'x'): object => ({ type, status, message, reason: 'X' });
const WAITS = is('Ready', 'False', 'it waits');

interface Case {
  readonly because: string;
  readonly object: object;
  readonly status: string;
  readonly message?: string;
}

const generation = 2;
const CASES: readonly Case[] = [
  { because: 'no manager has seen it', object: { metadata: { generation }, spec: {} }, status: 'Progressing' },
  {
    because: 'the API server has set the default',
    object: { metadata: { generation }, status: { observedGeneration: -1 } },
    status: 'Progressing',
  },
  {
    because: 'the status is about an earlier spec',
    object: seen([is('Ready', 'True')], { observedGeneration: 1 }),
    status: 'Progressing',
  },
  {
    because: 'it is being deleted',
    object: {
      metadata: { generation, deletionTimestamp: 'x' },
      status: { observedGeneration: 2, conditions: [is('Ready', 'True')] },
    },
    status: 'Progressing',
  },
  {
    because: 'it is suspended',
    object: { ...seen([is('Ready', 'True')]), spec: { suspend: true } },
    status: 'Suspended',
  },
  {
    because: 'it is ready',
    object: seen([is('Ready', 'True', 'v1 is installed')]),
    status: 'Healthy',
    message: 'v1 is installed',
  },
  {
    because: 'an upgrade failed, and the version before works',
    object: seen([is('Ready', 'True', 'v1; v2 failed'), is('UpgradeFailed', 'True')]),
    status: 'Healthy',
    message: 'v1; v2 failed',
  },
  {
    because: 'it is stalled',
    object: seen([is('Ready', 'False', 'no "quota" \\ <b>\n2nd'), is('Stalled', 'True')]),
    status: 'Degraded',
    message: 'no "quota" \\ <b>\n2nd',
  },
  {
    because: 'it is being applied',
    object: seen([WAITS, is('Reconciling', 'True')]),
    status: 'Progressing',
    message: 'it waits',
  },
  {
    because: 'it waits for a person',
    object: seen([WAITS], { pending: { reason: 'ApprovalRequired' } }),
    status: 'Suspended',
    message: 'it waits',
  },
  {
    because: 'it waits for a window',
    object: seen([WAITS], { pending: { reason: 'OutsideWindow' } }),
    status: 'Suspended',
    message: 'it waits',
  },
  ...[...WAITS_FOR_APPROVAL, ...WAITS_FOR_A_TIME].map((reason) => ({
    because: `it waits: ${reason}`,
    object: seen([WAITS], { pending: { reason } }),
    status: 'Suspended',
  })),
  {
    because: 'it waits for something else',
    object: seen([WAITS], { pending: { reason: 'Progressing' } }),
    status: 'Progressing',
  },
  { because: 'there are no conditions yet', object: seen(undefined), status: 'Progressing' },
];

function seen(conditions: readonly object[] | undefined, more: object = {}): object {
  return { metadata: { generation }, spec: {}, status: { observedGeneration: generation, conditions, ...more } };
}

describe('Argo CD shows the health of an object', () => {
  test.each(CASES)('$status: $because', async ({ object, status, message }) => {
    const health = await argoHealthOf(glua, folder, object);
    expect(health.status).toBe(status);
    if (message === undefined) expect(health.message).not.toBe('');
    else expect(health.message).toBe(message);
  });

  test.each(CASES.filter(({ object }) => 'conditions' in ((object as KstatusObject).status ?? {})))(
    'no better than kstatus judges: $because',
    ({ object, status }) => {
      const judged = kstatusOf(object as KstatusObject);
      if (status === 'Healthy') expect(judged).toBe('Current');
      if (status === 'Degraded') expect(judged).toBe('Failed');
      if (judged === 'Failed') expect(status).toBe('Degraded');
    },
  );
});
