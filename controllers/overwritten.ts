/**
 * The ConfigMaps and Secrets of a bundle that were edited in the cluster: OLM v0 has left them as they are since it installed
 * the version, and a hand-over sets them back to the manifests of the bundle. The command line and the manager ask the API
 * server, by dry runs, before anything is changed.
 */
import type { Cluster } from '../api/cluster.ts';
import { describeRef, groupKind, refOf, type KubeObject } from '../api/object.ts';
import { fieldsOf } from '../api/untyped.ts';
import { isConflictOrReplaced, isForbidden } from '../api/api-answers.ts';
import { isDryRunUnsupported, isRefusal, isUnmergeable } from '../apply/api-failure.ts';
import { withUid } from '../apply/write.ts';
import { diffFields } from '../plan/fields.ts';
import { nameSome } from '../apply/name-some.ts';

export interface Overwritten {
  /** `ConfigMap lights/beacon-settings` */
  readonly object: string;
  /** `data.level`, for each entry that differs. */
  readonly entries: readonly string[];
  /** `data.level: "debug" becomes "info"`, of a Secret without the values. */
  readonly fields: readonly string[];
  /** Why it cannot be compared. */
  readonly unknown?: string;
  /** The answer of the API server, if it does not accept the object as the bundle has it: no hand-over could go on. */
  readonly refused?: string;
}

export interface OverwriteTrial {
  /** The objects of the version that is installed, prepared for Slipway's Subscription. */
  readonly objects: readonly KubeObject[];
  readonly signal: AbortSignal;
}

/** Those whose live entries differ, or that the API server refuses. Throws the errors of the client. */
export async function overwrittenOf(
  cluster: Pick<Cluster, 'get' | 'apply'>,
  { objects, signal }: OverwriteTrial,
): Promise<readonly Overwritten[]> {
  const found: Overwritten[] = [];
  for (const object of objects) {
    if (!isSettings(object)) continue;
    const live = await cluster.get(refOf(object), signal);
    if (live === undefined) continue;
    const edits = await editsOf(cluster, object, { live, signal });
    if (edits !== undefined && (edits.entries.length > 0 || edits.refused !== undefined))
      found.push({ object: describeRef(refOf(object)), ...edits });
  }
  return found;
}

interface Live {
  readonly live: KubeObject;
  readonly signal: AbortSignal;
}

type Edits = Omit<Overwritten, 'object'>;

async function editsOf(
  cluster: Pick<Cluster, 'apply'>,
  object: KubeObject,
  { live, signal }: Live,
): Promise<Edits | undefined> {
  try {
    const answer = await cluster.apply(withUid(object, live), { force: true, dryRun: true }, signal);
    return describeEntries(live, answer);
  } catch (error) {
    // It is written by a patch then, which sets the entries of the manifest.
    if (isUnmergeable(error) || isDryRunUnsupported(error)) return describeEntries(live, patched(live, object));
    // It has changed since; and rights are judged elsewhere.
    if (isConflictOrReplaced(error)) return undefined;
    if (!isRefusal(error) || isForbidden(error)) throw error;
    return { entries: [], fields: [], refused: (error as Error).message };
  }
}

function patched(live: KubeObject, object: KubeObject): KubeObject {
  const texts = Object.entries(fieldsOf(object['stringData']));
  const encoded = Object.fromEntries(texts.map(([name, text]) => [name, Buffer.from(String(text)).toString('base64')]));
  const data = { ...fieldsOf(live['data']), ...fieldsOf(object['data']), ...encoded };
  const binaryData = { ...fieldsOf(live['binaryData']), ...fieldsOf(object['binaryData']) };
  return { ...live, ...filled({ data, binaryData }) };
}

function filled(maps: Readonly<Record<string, object>>): object {
  return Object.fromEntries(Object.entries(maps).filter(([, map]) => Object.keys(map).length > 0));
}

function describeEntries(live: KubeObject, next: KubeObject): Edits {
  const { fields, more } = diffFields(entriesOf(live), entriesOf(next));
  const entries = fields.map(({ path }) => path);
  const texts = fields.map(({ path, from = 'absent', to = 'absent' }) => `${path}: ${from} becomes ${to}`);
  const further = more > 0 ? [`${more} further entries`] : [];
  return { entries: [...entries, ...further], fields: [...(live.kind === 'Secret' ? entries : texts), ...further] };
}

function entriesOf({ apiVersion, kind, metadata: { name }, data, binaryData }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name }, data, binaryData };
}

/** A sentence has room for so many. */
const MOST_NAMED = 4;

/**
 * `ConfigMap lights/settings was edited, and would be set back (data.level)`, a sentence for each. Without values: readers of
 * a status need not be able to read the object. Pure.
 */
export function describeOverwritten(overwritten: readonly Overwritten[]): readonly string[] {
  return overwritten
    .filter(({ refused }) => refused === undefined)
    .map(({ object, entries, unknown }) => {
      if (unknown !== undefined)
        return `${object} cannot be compared, and any edit of it would be set back (${unknown})`;
      return `${object} was edited, and would be set back (${nameSome(entries, MOST_NAMED)})`;
    });
}

/** A sentence for each object that the API server does not accept, whether edits may be set back or not. Pure. */
export function describeRefusedSettings(overwritten: readonly Overwritten[]): readonly string[] {
  return overwritten.flatMap(({ object, refused }) =>
    refused === undefined ? [] : [`the API server refuses ${object} as the bundle has it: ${refused}`],
  );
}

/** Whether persons edit such objects to configure an operator. */
export function isSettings(object: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return ['ConfigMap', 'Secret'].includes(groupKind(object));
}
