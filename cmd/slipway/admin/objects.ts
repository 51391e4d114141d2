/** Reads Slipway's objects from a cluster, and explains a name that does not exist. */
import { answerOf, isForbidden, isNotFound } from '../../../api/api-answers.ts';
import type { ListOptions } from '../../../api/cluster.ts';
import type { CustomKind } from '../../../api/kind.ts';
import { API_VERSION, GROUP } from '../../../api/names.ts';
import type { Kind, KubeObject } from '../../../api/object.ts';
import { REVISION, type Revision } from '../../../api/revision.ts';
import { SUBSCRIPTION, type Subscription } from '../../../api/subscription.ts';
import type { Client } from '../../../kube/client/client.ts';
import { similarTo } from '../../../resolver/similar.ts';
import type { Connection } from '../input/connection.ts';
import { invalidInput } from '../../../api/invalid-input.ts';

/** The kind with its path, so that no discovery is needed. */
export function servedKind({ kind, plural, scope }: CustomKind): Required<Kind> {
  return { apiVersion: API_VERSION, kind, served: { plural, namespaced: scope === 'Namespaced' } };
}

/** The objects of a kind. @throws ReasonedError InputInvalid if Slipway is not installed; the errors of the API server */
export async function listObjects(
  client: Client,
  kind: CustomKind,
  options: ListOptions,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  return explainMissing(kind, () => client.list(servedKind(kind), options, signal));
}

/**
 * Runs a request for a kind; an answer that the kind is unknown means that Slipway is not installed. An answer that names an
 * object is about that object or its namespace.
 */
export async function explainMissing<Result>(kind: CustomKind, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (!isNotFound(error) || answerOf(error)?.objectName !== undefined) throw error;
    throw invalidInput(
      `Slipway is not installed in this cluster: the API server does not serve ${kind.plural}.${GROUP}`,
      'Install Slipway, or choose another cluster by --context or --kubeconfig',
      error,
    );
  }
}

/** Which Subscription a command is about. */
export interface ObjectTarget {
  readonly namespace: string;
  readonly name: string;
}

/** Reads `NAME` or `NAMESPACE/NAME`; the latter precedes the namespace of flag and context. @throws ReasonedError InputInvalid */
export function parseTarget(text: string, namespace: string): ObjectTarget {
  const parts = text.split('/');
  if (parts.length > 2 || parts.includes(''))
    throw invalidInput(`${JSON.stringify(text)} names no Subscription`, 'Write NAME or NAMESPACE/NAME');
  const [first = '', second] = parts;
  return second === undefined ? { namespace, name: first } : { namespace: first, name: second };
}

/** The Subscription of a name. @throws ReasonedError InputInvalid, with similar names; the errors of the API server */
export async function needSubscription(
  { client, namespace }: Connection,
  text: string,
  signal: AbortSignal,
): Promise<Subscription> {
  const target = parseTarget(text, namespace);
  const found = await client.get({ ...servedKind(SUBSCRIPTION), ...target }, signal);
  if (found !== undefined) return found as unknown as Subscription;
  const others = await listReadable(client, target.namespace, signal);
  throw unknownName(
    target,
    others.map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name })),
  );
}

/** The Subscriptions of all namespaces, or of one if the user may read no more. */
async function listReadable(client: Client, namespace: string, signal: AbortSignal): Promise<readonly KubeObject[]> {
  try {
    return await listObjects(client, SUBSCRIPTION, {}, signal);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return listObjects(client, SUBSCRIPTION, { namespace }, signal);
  }
}

/** The error for a Subscription that does not exist, with names that may be meant. */
function unknownName({ namespace, name }: ObjectTarget, others: readonly ObjectTarget[]): Error {
  const message = `namespace ${JSON.stringify(namespace)} has no Subscription ${JSON.stringify(name)}`;
  const elsewhere = others.filter((one) => one.name === name).map((one) => `${one.namespace}/${one.name}`);
  const near = others.filter((one) => one.namespace === namespace).map((one) => one.name);
  const meant = [...similarTo(name, near), ...elsewhere].slice(0, MOST_SUGGESTIONS);
  if (meant.length > 0) return invalidInput(message, `Did you mean ${meant.join(' or ')}?`);
  return invalidInput(message, near.length === 0 ? LIST_ALL : `It has ${near.slice(0, MOST_SUGGESTIONS).join(', ')}`);
}

const MOST_SUGGESTIONS = 3;
const LIST_ALL = 'List the Subscriptions of all namespaces by `slipway get subscriptions -A`';

/** The Revisions of a Subscription, by their number. */
export async function revisionsOf(
  client: Client,
  { metadata }: Subscription,
  signal: AbortSignal,
): Promise<readonly Revision[]> {
  const { namespace = '', name } = metadata;
  const all = (await listObjects(client, REVISION, { namespace }, signal)) as unknown as readonly Revision[];
  return all
    .filter(({ spec }) => spec.subscription === name)
    .toSorted((one, other) => one.spec.number - other.spec.number);
}
