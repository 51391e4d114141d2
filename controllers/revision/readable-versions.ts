/**
 * Reads a custom resource in every version of a CRD once its operator should convert them: a conversion webhook that
 * does not answer makes them unreadable, and a Deployment's health does not show it. Repeated until the webhook answers
 * for the first time; a webhook that fails later is not noticed here, nor one that has no object to convert.
 */
import { awaitedLater } from '../../api/awaited-later.ts';
import { describeRef, refOf, type DefinedKind, type KubeObject } from '../../api/object.ts';
import type { Cluster } from '../../api/cluster.ts';
import { hasWorked, type Revision } from '../../api/revision.ts';
import type { ListPage } from '../../apply/crd-safety/guard.ts';
import { definedAs } from '../../apply/custom-resources.ts';
import { selectorOf } from '../../apply/label-selector.ts';
import { listPods } from '../../apply/list-pods.ts';
import { converterOf, type Converter } from '../../apply/retain-readable.ts';
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';
import type { Account } from '../service-account.ts';
import type { Judgement } from './judgement.ts';
import { isReady } from './rehearsal/pods.ts';
import type { RevisionMemory } from './memory.ts';

/** How long a webhook whose Pods are available may fail to answer: a Service needs a moment to find its Pods. */
export const SILENCE_SECONDS = 20;
/** How often the webhook is asked during that time. */
const ASK_AGAIN_SECONDS = 2;
/** Longer than Services need, and shorter than the API server waits for a webhook. */
const WITHIN_MS = 10_000;

export interface ConversionCheck {
  /** As the manager. */
  readonly cluster: Pick<Cluster, 'get' | 'list'>;
  readonly listPage: ListPage;
  /** As a ServiceAccount: the operator's own may read its custom resources, the manager may not. */
  readonly as: (account: Account) => Pick<Cluster, 'get'>;
  /** The CRDs of the Revision, as they are in the cluster. */
  readonly crds: readonly KubeObject[];
  /** Whether it was proved before that the new Pods answer, so that the old Pods may still exist; false by default. */
  readonly isProved?: boolean;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/**
 * The judgement; not Ready before every conversion webhook answers, and Failed if one has not answered for too long.
 *
 * @param memory Remembers since when it waits for an answer; a restart of the manager restarts that time.
 */
export async function confirmReadable(
  memory: Pick<RevisionMemory, 'unreadableSince'>,
  { revision, judgement }: { readonly revision: Revision; readonly judgement: Judgement },
  check: ConversionCheck,
): Promise<Judgement> {
  if (judgement.state !== 'Ready' || hasWorked(revision)) return judgement;
  const converted = await Promise.all(
    convertedIn(check.crds, revision.metadata.namespace).map((one) => gather(one, check)),
  );
  const leaving = converted.flatMap(({ pods }) => pods).find(isLeaving);
  if (leaving !== undefined && check.isProved !== true) {
    const message = `Pod ${leaving.metadata.namespace}/${leaving.metadata.name} still answers webhooks and is to go`;
    return { ...WORKING, reason: 'Progressing', message };
  }
  const message = await findSilence(converted, check);
  const since = message === undefined ? undefined : (memory.unreadableSince ?? check.now);
  const isOver = since !== undefined && check.now.getTime() - since.getTime() >= SILENCE_SECONDS * 1000;
  memory.unreadableSince = isOver ? undefined : since;
  if (message === undefined) return judgement;
  return isOver
    ? { state: 'Failed', reason: 'WebhookSilent', message }
    : { ...WORKING, reason: 'WebhookSilent', message };
}

/** No watch reports when a webhook begins to answer. */
const WORKING = { state: 'Working', askAgainSeconds: ASK_AGAIN_SECONDS } as const;

interface ConvertedCrd {
  readonly crd: KubeObject;
  readonly service: Converter;
}

/**
 * The CRDs that a webhook of the operator converts. A bundle may name a Service of another namespace: its Pods are not the
 * operator's, and their names are not for its people.
 */
function convertedIn(crds: readonly KubeObject[], namespace: string | undefined): readonly ConvertedCrd[] {
  return crds.flatMap((crd) => {
    const service = converterOf(crd);
    return service !== undefined && service.namespace === namespace ? [{ crd, service }] : [];
  });
}

/** A CRD with the Pods that answer for its conversion webhook, and one of its objects. */
interface Converted {
  readonly crd: KubeObject;
  readonly pods: readonly KubeObject[];
  readonly sample: Sample;
}

/** One custom resource, which is being read; undefined if there is none. */
interface Sample {
  readonly object: Promise<KubeObject | undefined>;
  /** Ends the read. */
  readonly limit: AbortSignal;
}

/** Both are read at the same time. */
async function gather({ crd, service }: ConvertedCrd, check: ConversionCheck): Promise<Converted> {
  const sample = beginSample(servedKinds(crd), check);
  return { crd, pods: await findServers(service, check), sample };
}

function beginSample([kind]: readonly DefinedKind[], { listPage, signal }: ConversionCheck): Sample {
  const limit = AbortSignal.timeout(WITHIN_MS);
  const page = kind && listPage(kind, { limit: 1 }, AbortSignal.any([signal, limit]));
  const object = page === undefined ? Promise.resolve(undefined) : page.then(({ items }) => items[0]);
  return { object: awaitedLater(object), limit };
}

async function findServers(
  { namespace, name }: Converter,
  { cluster, signal }: ConversionCheck,
): Promise<Converted['pods']> {
  const service = await cluster.get({ apiVersion: 'v1', kind: 'Service', namespace, name }, signal);
  const labelSelector = selectorOf(fieldsOf(fieldsOf(service?.['spec'])['selector']));
  if (labelSelector === '') return [];
  return listPods(cluster, { namespace, labelSelector }, signal);
}

/**
 * Whether a Pod is being deleted and still ready: it may answer in place of the new ones. One on a node that is lost stays for
 * as long as the node, and answers nothing.
 */
function isLeaving(pod: KubeObject): boolean {
  return pod.metadata.deletionTimestamp !== undefined && isReady(pod);
}

/** The API server's message if a conversion webhook does not answer; undefined if all answer, or none is needed. */
async function findSilence(converted: readonly Converted[], check: ConversionCheck): Promise<string | undefined> {
  for (const { crd, pods, sample } of converted) {
    const account = accountOfPods(pods);
    const said = account && (await askForObject(servedKinds(crd), { ...check, sample, reader: check.as(account) }));
    if (said !== undefined) return `${describeRef(refOf(crd))}: its objects cannot be read: ${said}`;
  }
  return undefined;
}

/** The account of the operator, by its Pods. */
function accountOfPods([pod]: readonly KubeObject[]): Account | undefined {
  if (pod === undefined) return undefined;
  const name = textOf(fieldsOf(pod['spec'])['serviceAccountName']) || 'default';
  return { namespace: pod.metadata.namespace ?? '', name };
}

function servedKinds(crd: KubeObject): readonly DefinedKind[] {
  const served = listOf(fieldsOf(crd['spec'])['versions']).filter((version) => version['served'] === true);
  return served.map(({ name }) => definedAs(crd, textOf(name)));
}

interface AskedCrd {
  readonly sample: Sample;
  /** As the operator. */
  readonly reader: Pick<Cluster, 'get'>;
}

/** A list may come from the API server's cache of converted objects; a single object is read and converted again. */
async function askForObject(
  kinds: readonly DefinedKind[],
  { reader, sample, signal }: Pick<ConversionCheck, 'signal'> & AskedCrd,
): Promise<string | undefined> {
  const limit = AbortSignal.timeout(WITHIN_MS);
  const either = AbortSignal.any([signal, limit]);
  try {
    const object = await sample.object;
    if (object === undefined) return undefined;
    const { namespace, name } = refOf(object);
    const where = namespace === undefined ? { name } : { namespace, name };
    await Promise.all(kinds.map((version) => reader.get({ ...version, ...where }, either)));
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted || sample.limit.aborted) return `the API server has no answer within ${WITHIN_MS / 1000} s`;
    const { message } = error as Error;
    // The text before that names the object, which the manager has chosen and which may be another tenant's.
    const said = message.indexOf('conversion webhook');
    return said < 0 ? undefined : message.slice(said);
  }
}
