/**
 * Checks rights on custom resources: those of an account before the first write, the manager's own once they are
 * granted.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isForbidden } from '../../../api/api-answers.ts';
import { isAnswer } from '../../../apply/api-failure.ts';
import type { MayWrite, Unready } from '../../../apply/apply.ts';
import type { Cluster } from '../../../api/cluster.ts';
import type { ServedKinds } from '../../../apply/served-as.ts';
import { describeRef, groupKind, groupOf, refOf, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import type { Access } from '../../../kube/client/client.ts';
import type { Account } from '../../service-account.ts';
import { isOwnKind } from '../../../plan/own-kinds.ts';

/** Whether the account may do something; undefined if the API server does not say. */
export type Allows = (access: Access, signal?: AbortSignal) => Promise<boolean | undefined>;

/** Names the verbs that an account lacks on a custom resource of the bundle, whose kind may not be served yet. */
export function askRights(
  { account, allows, kinds }: { readonly account: Account; readonly allows: Allows; readonly kinds: ServedKinds },
  signal: AbortSignal,
): MayWrite {
  return async (object, verbs) => {
    const resource = kinds.get(groupKind(object))?.plural;
    if (resource === undefined) return undefined;
    const { name, namespace } = object.metadata;
    const group = groupOf(object.apiVersion);
    const where = namespace === undefined ? {} : { namespace };
    const answers = await Promise.all(
      verbs.map((verb) => allows({ verb, group, resource, ...where, ...(verb !== 'create' && { name }) }, signal)),
    );
    const missing = verbs.filter((_verb, index) => answers[index] === false);
    if (missing.length === 0) return undefined;
    const what = `the ${missing.length === 1 ? 'verb' : 'verbs'} ${missing.join(' and ')} on ${resource}.${group}`;
    const who = `ServiceAccount ${account.namespace}/${account.name}`;
    const place = namespace === undefined ? '' : ` in the namespace ${namespace}`;
    return {
      reason: 'Forbidden',
      retry: 'backoff',
      message: `${describeRef(refOf(object))}: ${who} lacks ${what}${place}`,
      hint: `Grant ${who} ${what}`,
    };
  };
}

/** An API server applies a new RBAC rule a moment after it was made. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS, PATIENCE_MS] = [25, 500, 10_000];

export interface AwaitOptions {
  readonly signal: AbortSignal;
  readonly patienceMs?: number;
}

/**
 * Waits until the manager may write the custom resources among the objects. It finds that out by reading, since one
 * rule gives all verbs. Returns those that it may not write in time. Throws the signal's reason when aborted.
 */
export async function awaitAccess(
  cluster: Pick<Cluster, 'get'>,
  objects: readonly KubeObject[],
  { signal, patienceMs = PATIENCE_MS }: AwaitOptions,
): Promise<readonly Unready[]> {
  const kinds = new Map(objects.filter(isOwnKind).map((object) => [groupKind(object), refOf(object)] as const));
  const waits = [...kinds.values()].map(async (ref) =>
    (await untilReadable(cluster, ref, { signal, patienceMs })) ? [] : [notYet(ref)],
  );
  return (await Promise.all(waits)).flat();
}

async function untilReadable(
  cluster: Pick<Cluster, 'get'>,
  ref: ObjectRef,
  { signal, patienceMs }: Required<AwaitOptions>,
): Promise<boolean> {
  let waited = 0;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    if (await isAllowed(cluster, ref, signal)) return true;
    if (waited >= patienceMs) return false;
    await delay(pause, undefined, { signal });
    waited += pause;
  }
}

/** Any answer but a refusal shows that the right is there, as of a conversion by an operator that comes after this. */
async function isAllowed(cluster: Pick<Cluster, 'get'>, ref: ObjectRef, signal: AbortSignal): Promise<boolean> {
  try {
    return await mayRead(cluster, ref, signal);
  } catch (error) {
    if (!isAnswer(error)) throw error;
    return true;
  }
}

/** Whether an object may be read, whether it exists or not. Throws the errors of the client except Forbidden. */
export async function mayRead(cluster: Pick<Cluster, 'get'>, ref: ObjectRef, signal: AbortSignal): Promise<boolean> {
  try {
    await cluster.get(ref, signal);
    return true;
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}

function notYet(ref: ObjectRef): Unready {
  return { ref, health: { state: 'Progressing', message: 'the manager may not write it yet' } };
}
