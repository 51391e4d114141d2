/**
 * Stores a whole plan in a Secret beside the manifests of its Revision. The garbage collector deletes the Secret with the
 * Revision. A Secret of that name that the manager did not write is left as it is.
 */
import { isAlreadyExists } from '../../api/api-answers.ts';
import type { Cluster } from '../../api/cluster.ts';
import { FIELD_MANAGER, LABEL } from '../../api/names.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { fieldsOf } from '../../api/untyped.ts';
import { labelValue } from '../../apply/prepare.ts';

const PLAN_SECRET_TYPE = 'slipway.dev/plan';

type PlanWriter = Pick<Cluster, 'get' | 'create' | 'patch'>;

/** Texts by key of the Secret; bytes are stored as they are. */
export type PlanFiles = Readonly<Record<string, Buffer>>;

/** Name of the Secret with the plan of a Revision. */
export function planSecretName({ metadata }: Pick<Revision, 'metadata'>): string {
  return `${metadata.name}-plan`;
}

/**
 * Writes the Secret unless it has the content already. Returns whether it has: false if a person holds its name. Throws
 * the errors of the client; Conflict, which is retried, if it changes meanwhile.
 */
export async function storePlan(cluster: PlanWriter, revision: Revision, files: PlanFiles): Promise<boolean> {
  const secret = planSecret(revision, files);
  const live = await cluster.get(refOf(secret));
  if (live !== undefined) return update(cluster, live, secret);
  try {
    await cluster.create(secret);
    return true;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const other = await cluster.get(refOf(secret));
    return other !== undefined && update(cluster, other, secret);
  }
}

async function update(cluster: PlanWriter, live: KubeObject, secret: KubeObject): Promise<boolean> {
  if (!isOurs(live, secret)) return false;
  const [before, after] = [fieldsOf(live['data']), fieldsOf(secret['data'])];
  const gone = Object.keys(before).filter((key) => !(key in after));
  if (gone.length === 0 && Object.entries(after).every(([key, value]) => before[key] === value)) return true;
  const { uid, resourceVersion } = live.metadata;
  const data = { ...after, ...Object.fromEntries(gone.map((key) => [key, null])) };
  await cluster.patch(refOf(live), { metadata: { uid, resourceVersion }, data });
  return true;
}

function isOurs(live: KubeObject, secret: KubeObject): boolean {
  const [owner] = secret.metadata.ownerReferences ?? [];
  return (
    live['type'] === PLAN_SECRET_TYPE && live.metadata.ownerReferences?.some(({ uid }) => uid === owner?.uid) === true
  );
}

function planSecret(revision: Revision, files: PlanFiles): KubeObject {
  const { apiVersion, kind, metadata } = revision;
  const { name, namespace = '', uid = '' } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: planSecretName(revision),
      namespace,
      labels: { [LABEL.managedBy]: FIELD_MANAGER, [LABEL.revision]: labelValue(name) },
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
    },
    type: PLAN_SECRET_TYPE,
    data: Object.fromEntries(Object.entries(files).map(([key, bytes]) => [key, bytes.toString('base64')])),
  };
}
