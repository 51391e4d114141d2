/**
 * States how the objects of a CRD are converted when it is taken over. The API server sets a default only for a conversion that is
 * absent, and an apply leaves fields alone that it does not name: the webhook of the CRD's maker would stay in force, and would
 * read and change each custom resource. A conversion that an operator sets later on its own CRD is left alone, as other fields are.
 * Called by write.ts; the manifest and its hash stay as the bundle has them.
 */
import type { Cluster } from '../api/cluster.ts';
import { isCrd } from '../api/crd-kind.ts';
import { FIELD_MANAGER } from '../api/names.ts';
import { refOf, type KubeObject } from '../api/object.ts';
import { fieldsOf, isRecord, listOf, type Fields } from '../api/untyped.ts';
import { isDryRunUnsupported, isUnmergeable } from './api-failure.ts';

/** The object as it is sent to take over one that is converted: a CRD of a bundle without a conversion states that there is none. */
export function withConversion(object: KubeObject): KubeObject {
  if (!isCrd(object) || !isRecord(object['spec']) || isRecord(object['spec']['conversion'])) return object;
  return { ...object, spec: { ...object['spec'], conversion: { strategy: 'None' } } };
}

/** Whether something converts the custom resources of a CRD; not so for one that a manager made before it was killed. */
export function isConverted(live: KubeObject): boolean {
  const { strategy, webhook } = conversionOf(live);
  return isCrd(live) && (strategy === 'Webhook' || isRecord(webhook));
}

/**
 * Takes off the webhook of another program that an apply would leave beside our conversion: the API server refuses both
 * together, and no apply can remove fields that it has never owned. Two requests for a CRD that is taken over and has such fields, or
 * whose webhook was ours too.
 *
 * Returns the object as it is then; throws Conflict if it was written meanwhile, and the API server's objections to the rest of the
 * object while the webhook is still there.
 */
export async function dropConversion(
  cluster: Pick<Cluster, 'apply' | 'patch'>,
  object: KubeObject,
  live: KubeObject,
  { isTakenOver, signal }: { readonly isTakenOver: boolean; readonly signal: AbortSignal },
): Promise<KubeObject> {
  const conversion = isCrd(object) ? conversionWithout(conversionOf(object), conversionOf(live)) : undefined;
  if (conversion === undefined || !isToDrop(live, isTakenOver)) return live;
  await tryBeside(cluster, object, live, signal);
  const { uid, resourceVersion } = live.metadata;
  return cluster.patch(refOf(live), { metadata: { uid, resourceVersion }, spec: { conversion } }, undefined, signal);
}

/** The object with the conversion that is there, which the API server accepts beside the webhook: a refusal regards the rest. */
async function tryBeside(
  cluster: Pick<Cluster, 'apply'>,
  object: KubeObject,
  live: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const { uid, resourceVersion } = live.metadata;
  const seen = { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) };
  const metadata = { ...object.metadata, ...seen };
  const tried = { ...object, metadata, spec: { ...fieldsOf(object['spec']), conversion: conversionOf(live) } };
  try {
    await cluster.apply(tried, { force: true, dryRun: true, metadataOnly: true }, signal);
  } catch (error) {
    if (!isDryRunUnsupported(error) && !isUnmergeable(error)) throw error;
  }
}

/** The merge patch to the wanted conversion; undefined if the live one has nothing that contradicts it. Pure. */
export function conversionWithout(wanted: Fields, live: Fields): Fields | undefined {
  const [mine, theirs] = [fieldsOf(wanted['webhook']), fieldsOf(live['webhook'])];
  if (wanted['strategy'] !== 'Webhook')
    return isRecord(live['webhook']) ? { strategy: 'None', webhook: null } : undefined;
  const [address, other] = [fieldsOf(mine['clientConfig']), fieldsOf(theirs['clientConfig'])];
  const excluded = address['url'] === undefined ? 'url' : 'service';
  if ((other[excluded] ?? undefined) === undefined) return undefined;
  // The authority was for the other address.
  const clientConfig = { caBundle: null, ...address, [excluded]: null };
  return { ...wanted, webhook: { ...mine, clientConfig } };
}

function conversionOf({ spec }: KubeObject): Fields {
  return fieldsOf(fieldsOf(spec)['conversion']);
}

/** If our applies alone own the webhook, the next one removes it together with the versions. */
function isToDrop({ metadata }: KubeObject, isTakenOver: boolean): boolean {
  const { managedFields } = metadata as { readonly managedFields?: unknown };
  const owners = listOf(managedFields).filter(({ fieldsV1 }) => {
    const conversion = fieldsOf(fieldsOf(fieldsOf(fieldsV1)['f:spec'])['f:conversion']);
    return conversion['f:webhook'] !== undefined;
  });
  const ours = owners.filter(({ manager, operation }) => manager === FIELD_MANAGER && operation === 'Apply');
  return isTakenOver
    ? ours.length === 0 || ours.length < owners.length
    : ours.length > 0 && ours.length < owners.length;
}
