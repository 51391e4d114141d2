/**
 * Asks the API server for custom resources in every version of a CRD, once its operator should convert them: a conversion
 * webhook that does not answer makes them unreadable, and no Deployment's health tells. Asked until it answers for the
 * first time; that a webhook fails later is not noticed here.
 */
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { ListPage } from '../../apply/crd-safety/guard.ts';
import { fieldsOf, listOf, textOf } from '../../apply/untyped.ts';
import type { Judgement } from './summarize.ts';

/** How long a webhook whose Pods are available may be silent: a Service needs a moment to find them. */
export const SILENCE_SECONDS = 20;
/** How often it is asked meanwhile. */
export const ASK_AGAIN_SECONDS = 2;
/** Longer than Services need, and shorter than the API server waits for a webhook. */
const WITHIN_MS = 10_000;

export interface ConversionCheck {
  /** As the manager: who installs an operator need not be able to read its objects. */
  readonly listPage: ListPage;
  /** The objects of the Revision that are CRDs, as they are in the cluster. */
  readonly crds: readonly KubeObject[];
  readonly now: Date;
  readonly signal: AbortSignal;
}

export interface Conversions {
  /** The judgement; not Ready before every conversion is answered, and Failed when one has been silent for too long. */
  confirm(revision: Revision, judgement: Judgement, check: ConversionCheck): Promise<Judgement>;
}

/** Remembers since when which Revision waits for an answer; after a restart the time begins anew. */
export function createConversions(): Conversions {
  const silentSince = new Map<string, Date>();
  return {
    async confirm(revision, judgement, check) {
      const key = revision.metadata.uid ?? '';
      if (judgement.state !== 'Ready' || revision.status?.firstReadyTime !== undefined) return judgement;
      const message = await findSilence(check);
      if (message === undefined) {
        silentSince.delete(key);
        return judgement;
      }
      const since = silentSince.get(key) ?? check.now;
      silentSince.set(key, since);
      const silentFor = (check.now.getTime() - since.getTime()) / 1000;
      if (silentFor < SILENCE_SECONDS) return { state: 'Working', reason: 'WebhookSilent', message };
      silentSince.delete(key);
      return { state: 'Failed', reason: 'WebhookSilent', message };
    },
  };
}

/** What the API server says where a conversion is not answered; undefined where all are, or nothing needs one. */
async function findSilence({ crds, listPage, signal }: ConversionCheck): Promise<string | undefined> {
  for (const crd of crds) {
    const answers = await Promise.all(convertedKinds(crd).map((kind) => refusal(kind, { listPage, signal })));
    const silent = answers.find((answer) => answer !== undefined);
    if (silent !== undefined) return `${describeRef(refOf(crd))}: its objects cannot be read: ${silent}`;
  }
  return undefined;
}

type Kind = Parameters<ListPage>[0];

/** The served versions of a CRD that has a conversion webhook. */
function convertedKinds({ spec: given }: KubeObject): readonly Kind[] {
  const spec = fieldsOf(given);
  if (fieldsOf(spec['conversion'])['strategy'] !== 'Webhook') return [];
  const kind = textOf(fieldsOf(spec['names'])['kind']);
  const served = listOf(spec['versions']).filter((version) => version['served'] === true);
  return served.map(({ name }) => ({ apiVersion: `${textOf(spec['group'])}/${textOf(name)}`, kind }));
}

/** One object is enough; what else may be wrong with a list is not the webhook's fault. */
async function refusal(
  kind: Kind,
  { listPage, signal }: Pick<ConversionCheck, 'listPage' | 'signal'>,
): Promise<string | undefined> {
  const limit = AbortSignal.timeout(WITHIN_MS);
  try {
    await listPage(kind, { limit: 1 }, AbortSignal.any([signal, limit]));
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return `the API server has no answer within ${WITHIN_MS / 1000} s`;
    const { message } = error as Error;
    return message.includes('conversion webhook') ? message : undefined;
  }
}
