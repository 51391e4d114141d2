/**
 * Selects the parts of an object with our label that are kept in memory: those that some code here reads, and no more.
 * A person who may write an object may make it as large as the API server accepts; most of that is templates, schemas
 * and foreign annotations. Pure; managed-objects.ts applies it to each object as it arrives.
 */
import { isCrd } from '../../api/crd-kind.ts';
import { ANNOTATION, CA_INJECTION, LABEL } from '../../api/names.ts';
import { keepIdentity, type KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, type Fields } from '../../api/untyped.ts';
import { beginningOf } from '../../apply/short-text.ts';

/** For texts of a specification or a status: no code reads longer ones. */
const LONGEST_TEXT = 4096;
/** For labels, annotations and texts of conditions: the name of a Subscription with its namespace fits. */
const LONGEST_NOTE = 512;
/** For conditions, finalizers and owners: controllers write fewer. */
const MOST_ENTRIES = 32;
/** For the kept parts of an object together; a larger object is kept by name only. */
const MOST_BYTES = 16 * 1024;

/** The metadata that shows the owner and the state of an object, and the progress of a roll-out or a removal. */
export function keepMetadata(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = object;
  const { annotations, labels, finalizers, ownerReferences, ...rest } = metadata;
  const kept = {
    apiVersion,
    kind,
    metadata: {
      ...keepIdentity(rest),
      ...someOf('labels', labels, isLabelRead),
      ...someOf('annotations', annotations, isAnnotationRead),
      ...(finalizers !== undefined && { finalizers: finalizers.slice(0, MOST_ENTRIES) }),
      ...(ownerReferences !== undefined && { ownerReferences: ownerReferences.slice(0, MOST_ENTRIES) }),
    },
  };
  return isSmall(kept) ? kept : keepName(object);
}

function isSmall(kept: KubeObject): boolean {
  return JSON.stringify(kept).length <= MOST_BYTES;
}

/** Identity and claimed owner only. */
export function keepName({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { annotations, labels, ...rest } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      ...keepIdentity(rest),
      ...someOf('labels', labels, isOwnLabel),
      ...someOf('annotations', annotations, isClaim),
    },
  };
}

/** Metadata, and the fields that decide health and roll-out of the kind. */
export function keepHealth(object: KubeObject): KubeObject {
  const { spec, status } = object as KubeObject & { readonly spec?: unknown; readonly status?: unknown };
  const kept: KubeObject = {
    ...keepMetadata(object),
    ...(spec !== undefined && { spec: isCrd(object) ? keepServed(fieldsOf(spec)) : keepSpec(fieldsOf(spec)) }),
    ...(status !== undefined && { status: keepStatus(fieldsOf(status)) }),
  };
  // only people who may write to the whole cluster write a CRD, and its names are needed for every CRD
  return isCrd(object) || isSmall(kept) ? kept : keepName(object);
}

type Metadata = KubeObject['metadata'];

function someOf(
  field: 'labels' | 'annotations',
  texts: Readonly<Record<string, string>> | undefined,
  isRead: (key: string) => boolean,
): Pick<Metadata, typeof field> {
  if (texts === undefined) return {};
  const kept = Object.entries(texts).filter(([key, text]) => isRead(key) && text.length <= LONGEST_NOTE);
  return { [field]: Object.fromEntries(kept.slice(0, MOST_ENTRIES)) };
}

const OURS = 'slipway.dev/';
const CLAIMS: ReadonlySet<string> = new Set([ANNOTATION.owner, ANNOTATION.ownerUid, ANNOTATION.adoptBy]);

function isOurs(key: string): boolean {
  return key.startsWith(OURS);
}

function isClaim(key: string): boolean {
  return CLAIMS.has(key);
}

const OWN_LABELS: ReadonlySet<string> = new Set([LABEL.owner, LABEL.revision]);

function isOwnLabel(key: string): boolean {
  return OWN_LABELS.has(key);
}

function isLabelRead(key: string): boolean {
  return isOurs(key) || key === 'app.kubernetes.io/managed-by';
}

function isAnnotationRead(key: string): boolean {
  return isOurs(key) || CA_INJECTION.has(key) || key.startsWith('deployment.kubernetes.io/');
}

/** Replicas and the strategy of replacement; nothing of the template. */
function keepSpec(spec: Fields): Fields {
  return { ...scalarsOf(spec), ...pick(spec, ['selector', 'strategy', 'updateStrategy']) };
}

/** Counts, phases and conditions; for a CRD also the stored versions. */
function keepStatus(status: Fields): Fields {
  const { conditions } = status;
  return {
    ...scalarsOf(status),
    ...pick(status, ['storedVersions']),
    ...(conditions !== undefined && { conditions: listOf(conditions).slice(0, MOST_ENTRIES).map(keepCondition) }),
  };
}

/** With long texts cut: a workload whose conditions are long is followed as any other. */
function keepCondition(condition: Fields): Fields {
  const texts = Object.entries(scalarsOf(condition));
  return Object.fromEntries(
    texts.map(([key, one]) => [key, typeof one === 'string' ? beginningOf(one, LONGEST_NOTE) : one]),
  );
}

/** The parts of a CRD's spec that define its served versions. */
function keepServed(spec: Fields): Fields {
  return {
    ...pick(spec, ['group', 'names', 'scope', 'conversion']),
    versions: listOf(spec['versions']).map((version) => pick(version, ['name', 'served', 'storage'])),
  };
}

function scalarsOf(fields: Fields): Fields {
  const isScalar = (value: unknown): boolean =>
    typeof value === 'string' ? value.length <= LONGEST_TEXT : typeof value === 'number' || typeof value === 'boolean';
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isScalar(value)));
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])));
}
