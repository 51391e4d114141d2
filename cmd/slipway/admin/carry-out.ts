/** Sends the writes of a command, or prints them with `--dry-run=client`. */
import { isNotFound } from '../../../api/api-answers.ts';
import { describeRef, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import { fieldsOf } from '../../../api/untyped.ts';
import type { Client } from '../../../kube/client/client.ts';
import { findKind } from './columns.ts';
import type { OutputFlags } from '../flags.ts';
import type { KubeFlags } from '../input/connection.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';
import { formatYaml } from '../../../report/data.ts';
import { documentOf, type Act, type Intent } from '../../../report/acts.ts';
import { explainMissing, servedKind } from './objects.ts';

export interface ActFlags extends KubeFlags, OutputFlags {
  readonly dryRun?: 'client';
}

/** Carries out an intent. The data are the documents of a dry run, else the objects as they are afterwards. */
export async function carryOut(
  client: Client,
  { acts, message }: Intent,
  { dryRun, output }: ActFlags,
  signal: AbortSignal,
): Promise<Outcome> {
  const documents = [];
  for (const act of acts) {
    const answer = dryRun === undefined ? await send(client, act, signal) : documentOf(act);
    if (answer !== undefined) documents.push(answer);
  }
  const [only, ...others] = documents;
  const data = others.length === 0 && only !== undefined ? only : { apiVersion: 'v1', kind: 'List', items: documents };
  if (output === 'yaml') return { data, text: formatYaml(documents) };
  const ending = dryRun === undefined || acts.length === 0 ? '' : ' (dry run: nothing is sent)';
  return { data, text: `${cleanLine(message)}${ending}\n` };
}

async function send(client: Client, act: Act, signal: AbortSignal): Promise<object | undefined> {
  if (act.do === 'create') return create(client, act.body, signal);
  const ref: ObjectRef = { ...act.ref, served: servedOf(act.ref.kind) };
  if (act.do === 'patch') {
    const patched = await client.patch(ref, act.body, {}, signal);
    requireKept(ref, act.body['spec'], patched['spec']);
    return patched;
  }
  return client.delete(ref, { uid: act.uid }, signal);
}

/** @throws ReasonedError InputInvalid if Slipway is not installed, or if the namespace does not exist; the errors of the API server */
async function create(client: Client, body: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  const kind = findKind(body.kind);
  try {
    return await explainMissing(kind, () => client.create(body, { served: servedKind(kind).served }, signal));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const namespace = body.metadata.namespace ?? '';
    throw invalidInput(
      `there is no namespace ${JSON.stringify(namespace)}`,
      `Create it by \`kubectl create namespace ${namespace}\`, or name another one by --namespace`,
      error,
    );
  }
}

/**
 * An API server drops the fields that its CRDs lack: the acts that follow would have another effect than intended.
 *
 * @throws ReasonedError InputInvalid, not retried
 */
function requireKept(ref: ObjectRef, wanted: unknown, kept: unknown, path = 'spec'): void {
  for (const [field, value] of Object.entries(fieldsOf(wanted))) {
    if (value === null) continue;
    const live = fieldsOf(kept)[field];
    if (live === undefined)
      throw invalidInput(`the API server dropped ${path}.${field} of ${describeRef(ref)}`, "Its CRDs are older than this program: upgrade Slipway's CRDs and manager first"); // prettier-ignore
    requireKept(ref, value, live, `${path}.${field}`);
  }
}

function servedOf(kind: string): Required<ReturnType<typeof servedKind>>['served'] {
  return servedKind(findKind(kind)).served;
}
