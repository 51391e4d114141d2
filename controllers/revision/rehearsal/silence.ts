/** Judges a webhook that does not answer, and says of which Pod that is and what it wrote last. */
import { describeRef } from '../../../api/object.ts';
import { fieldsOf, listOf, textOf } from '../../../apply/untyped.ts';
import { readLastLines, withLastLines, type ReadText } from '../last-lines.ts';
import type { Judgement } from '../summarize.ts';
import { addressOf } from './called-webhooks.ts';
import type { Silence } from './probe.ts';

/** How long a webhook whose Pods are ready may be silent: a Service needs a moment to find them. */
export const SILENCE_SECONDS = 20;
/** How often it is asked meanwhile; no watch tells when it begins to answer. */
export const ASK_AGAIN_SECONDS = 2;

/** Failed after a while; what the API server has not even asked for so long is taken for answered. */
export function judgeSilence(
  { question, because, pod }: Silence,
  { since, now }: { readonly since: Date; readonly now: Date },
): Judgement {
  const isOver = now.getTime() - since.getTime() >= SILENCE_SECONDS * 1000;
  if (because === undefined) {
    if (isOver) return { state: 'Ready', reason: 'Succeeded', message: '' };
    const message = 'The API server is about to ask whether the webhooks answer';
    return { state: 'Working', reason: 'Progressing', message, askAgainSeconds: ASK_AGAIN_SECONDS };
  }
  const { webhook } = question;
  const who = pod === undefined ? 'nobody' : `Pod ${pod.metadata.name}, which is ready,`;
  const subject = pod === undefined ? `${who} answers` : `${who} does not answer`;
  const message = `${describeRef(webhook.caller)}: ${subject} when the API server calls ${addressOf(webhook)}: ${because}`;
  if (isOver) return { state: 'Failed', reason: 'WebhookSilent', message };
  return { state: 'Working', reason: 'WebhookSilent', message, askAgainSeconds: ASK_AGAIN_SECONDS };
}

/** The judgement with the last lines of the container that should have answered. */
export async function describeSilence(
  judgement: Judgement,
  { pod }: Silence,
  { read, signal }: { readonly read: ReadText; readonly signal: AbortSignal },
): Promise<Judgement> {
  const container = textOf(listOf(fieldsOf(pod?.['spec'])['containers'])[0]?.['name']);
  if (pod === undefined || container === '' || judgement.reason !== 'WebhookSilent') return judgement;
  const { name, namespace = '' } = pod.metadata;
  const problem = { kind: 'NotReady', blame: 'version', pod: name, container, message: judgement.message } as const;
  return {
    ...judgement,
    message: withLastLines(judgement.message, await readLastLines(read, problem, { namespace, signal })),
  };
}
