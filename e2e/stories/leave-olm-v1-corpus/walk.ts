/** Takes one operator over to Slipway and back to OLM v1, step by step. */
import { setTimeout as delay } from 'node:timers/promises';
import { HandOver } from '../../../adoption/olm-v1/hand-over.ts';
import { translateExtension } from '../../../adoption/olm-v1/translate.ts';
import { Undo } from '../../../adoption/olm-v1/undo.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { SYSTEM } from '../../lib/manager.ts';
import { CATALOG } from '../leave-olm-corpus/install.ts';

/** How long one way may take, with two processors. */
export const WAY_MS = 180_000;
const AWAIT_MS = 200;

interface Next {
  readonly step: string;
  readonly carryOut: () => Promise<void>;
}

export function handOverOf(cluster: Cluster, extension: string): HandOver {
  return new HandOver({
    cluster,
    name: { extension, kept: SYSTEM },
    wanted: ({ survey }) => translateExtension(survey, { name: extension, catalog: CATALOG }),
    obstacle: async () => undefined,
    signal: AbortSignal.timeout(WAY_MS),
  });
}

/** Resolves when Slipway has the operator. Throws the errors of HandOver. */
export async function goOver(cluster: Cluster, extension: string): Promise<void> {
  const way = handOverOf(cluster, extension);
  await walk('Done', async () => {
    const { step, gathered } = await way.next();
    return { step, carryOut: () => way.carryOut(step, gathered) };
  });
}

/** Resolves when OLM has the operator. Throws the errors of Undo. */
export async function goBack(cluster: Cluster, extension: string): Promise<void> {
  const way = new Undo({ cluster, name: { extension, kept: SYSTEM }, signal: AbortSignal.timeout(WAY_MS) });
  await walk('ForgetBackup', async () => {
    const { step, facts } = await way.next();
    return { step, carryOut: () => way.carryOut(step, facts) };
  });
}

/** Takes step after step. The signal of the way ends it if it stands still. */
async function walk(last: string, next: () => Promise<Next>): Promise<void> {
  for (let isOver = false; !isOver;) {
    const { step, carryOut } = await next();
    await carryOut();
    isOver = step === last;
    if (step.startsWith('Await')) await delay(AWAIT_MS);
  }
}
