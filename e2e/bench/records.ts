/**
 * The records that a manager has to write if it may be killed at any moment: the manifests before the Revision, the
 * Revision before its inventory, the inventory before the first object, the outcome after the last one; and that a
 * removal has begun before its first deletion. Pure: floor-records.ts sends them.
 */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { API_VERSION, FINALIZER } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import type { InventoryEntry, RevisionManifest, RevisionStatus } from '../../api/revision.ts';
import { hashObject } from '../../apply/prepare.ts';

/** The content of the records of one version of an operator. */
export interface Recorded {
  readonly name: string;
  readonly version: string;
  /** The first version has the number 1. */
  readonly number: number;
  readonly objects: readonly KubeObject[];
}

/** A Revision as it can be created, and the Secret that it names. */
export interface RecordObjects {
  readonly secret: KubeObject;
  readonly revision: RevisionManifest & KubeObject;
}

export function recordsOf({ name, version, number, objects }: Recorded): RecordObjects {
  const json = JSON.stringify(objects);
  const digest = `sha256:${createHash('sha256').update(json).digest('hex')}` as const;
  const place = { namespace: name, name: `${name}-${number}` };
  const secretName = `${place.name}-manifests`;
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...place, name: secretName },
    type: 'bench.example.com/manifests',
    immutable: true,
    data: { manifests: gzipSync(json).toString('base64') },
  };
  const revision = {
    apiVersion: API_VERSION,
    kind: 'Revision',
    metadata: { ...place, finalizers: [FINALIZER] },
    spec: {
      subscription: name,
      number,
      package: name,
      bundle: `${name}.v${version}`,
      version,
      catalog: 'bench',
      image: `registry.example/${name}@${digest}`,
      configHash: 'none',
      manifests: { secrets: [secretName], digest, objects: objects.length },
      certificates: 'Manager',
      approved: true,
      state: 'Active',
    },
  } as const;
  return { secret, revision };
}

/** The status before the first object is written. */
export function intentOf({ objects }: Pick<Recorded, 'objects'>): RevisionStatus {
  return { inventory: objects.map((object) => entryOf(object, '')) };
}

/** The status once all objects work. */
export function outcomeOf({ objects }: Pick<Recorded, 'objects'>, now: Date): RevisionStatus {
  const time = `${now.toISOString().slice(0, 19)}Z`;
  const ready = { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'All objects work' } as const;
  return {
    firstReadyTime: time,
    conditions: [{ ...ready, lastTransitionTime: time }],
    inventory: objects.map((object) => entryOf(object, UID)),
  };
}

/** As long as one is. */
const UID = '00000000-0000-0000-0000-000000000000';

function entryOf(object: KubeObject, uid: string): InventoryEntry {
  const { apiVersion, kind, metadata } = object;
  const { namespace, name } = metadata;
  return { apiVersion, kind, ...(namespace !== undefined && { namespace }), name, uid, hash: hashObject(object) };
}
