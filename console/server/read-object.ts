/** Reads one object as a person; of a Deployment its ReplicaSets and Pods too, and the last lines of Pods in trouble. */
import { ReasonedError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, type Fields } from '../../api/untyped.ts';
import { listRollOut } from '../../apply/list-pods.ts';
import type { Client } from '../../kube/client/client.ts';
import type { ObjectAsk, ReadLog, ReadObject } from '../data/ask.ts';
import { podsInTrouble, type TroubledContainer } from '../data/pods.ts';

/** @throws ApiError if the object itself cannot be read */
export async function readObject(client: Client, { ref, pods }: ObjectAsk, signal: AbortSignal): Promise<ReadObject> {
  const object = await client.get(ref, signal);
  if (object === undefined) return {};
  return pods === undefined ? { object } : { object, ...(await readPods(client, object, pods.tail, signal)) };
}

async function readPods(
  client: Client,
  deployment: KubeObject,
  tail: number,
  signal: AbortSignal,
): Promise<Omit<ReadObject, 'object'>> {
  const labelSelector = selectorOf(deployment);
  if (labelSelector === undefined) return { podsFailure: 'the Deployment has no selector that the console can read' };
  try {
    const { replicaSets, pods } = await listRollOut(client, deployment, { labelSelector, signal });
    const asks = podsInTrouble(deployment, { replicaSets, pods });
    return { replicaSets, pods, logs: await Promise.all(asks.map((one) => readLog(client, one, tail, signal))) };
  } catch (error) {
    if (signal.aborted || !(error instanceof ReasonedError)) throw error;
    return { podsFailure: error.message };
  }
}

/** As the API server takes it; undefined if a part cannot be read, since the rest would select Pods of others. */
function selectorOf(deployment: KubeObject): string | undefined {
  const { matchLabels, matchExpressions = [] } = fieldsOf(fieldsOf(deployment['spec'])['selector']);
  if (!Array.isArray(matchExpressions)) return undefined;
  const labels = Object.entries(fieldsOf(matchLabels)).map(([key, value]) => `${key}=${String(value)}`);
  const expressions = matchExpressions.map((one: unknown) => expressionOf(fieldsOf(one)));
  if (expressions.includes(undefined) || labels.length + expressions.length === 0) return undefined;
  return [...labels, ...expressions].join(',');
}

function expressionOf({ key, operator, values }: Fields): string | undefined {
  if (typeof key !== 'string') return undefined;
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  const word = operator === 'In' ? 'in' : operator === 'NotIn' ? 'notin' : undefined;
  const list = Array.isArray(values) ? values.filter((one): one is string => typeof one === 'string') : [];
  return word === undefined || list.length === 0 ? undefined : `${key} ${word} (${list.join(',')})`;
}

const MOST_LOG_BYTES = 64 << 10;

async function readLog(
  client: Client,
  { namespace, pod, container, run }: TroubledContainer,
  tail: number,
  signal: AbortSignal,
): Promise<ReadLog> {
  const query = new URLSearchParams({
    container,
    tailLines: String(tail),
    limitBytes: String(MOST_LOG_BYTES),
    ...(run === 'previous' && { previous: 'true' }),
  });
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log?${query.toString()}`; // prettier-ignore
  try {
    return { pod, container, run, text: await client.raw(path, signal) };
  } catch (error) {
    if (signal.aborted || !(error instanceof ReasonedError)) throw error;
    return { pod, container, run, failure: error.message };
  }
}
