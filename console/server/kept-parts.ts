/**
 * Selects the parts of an object that the console keeps in memory: those that some view reads, and no more. A person who may write
 * an object in one namespace may make it as large as the API server accepts, and the console serves all namespaces. Pure; store.ts
 * applies it to each object as it arrives.
 */
import { ANNOTATION } from '../../api/names.ts';
import { keepIdentity, type KubeObject } from '../../api/object.ts';
import { fieldsOf, isRecord, listOf, numberOf, type Fields } from '../../api/untyped.ts';
import { beginningOf, ownCopy } from '../../apply/short-text.ts';
import { makeRoom, takeRoom } from '../../bundles/room.ts';
import { markLeftOut } from '../data/left-out.ts';
import { line } from '../data/text.ts';
import type { VisibleKind } from '../data/view.ts';

/** Of an event; events.k8s.io/v1 permits 1 kB, and v1 any length. */
const MOST_NOTE = 1024;
/** Of any other text of an event: a name of Kubernetes has 253. */
const MOST_TEXT = 256;
/** Weight of labels, of annotations, and of each field of a spec that only the YAML of a page shows. */
const MOST_WEIGHT = 16 * 1024;
const COSTS = { value: 16, container: 0 };

export const KEEP: Readonly<Record<VisibleKind, (object: KubeObject) => KubeObject>> = {
  subscriptions: keepSubscription,
  revisions: keepRevision,
  catalogs: keepOfAdministrator,
  registryPolicies: keepOfAdministrator,
  events: keepEvent,
  // The times of a Lease are read from its managed fields: they are by the clock of the API server.
  leases: (object) => object,
};

function keepEvent(event: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = event;
  const series = fieldsOf(event['series']);
  const count = numberOf(series['count']);
  return {
    apiVersion,
    kind,
    metadata: keepIdentity(metadata),
    ...textsOf(event, ['type', 'reason', 'eventTime', 'deprecatedLastTimestamp']),
    note: ownCopy(line(event['note'], MOST_NOTE)),
    regarding: textsOf(fieldsOf(event['regarding']), ['apiVersion', 'kind', 'name']),
    ...(count !== undefined && { series: { count, ...textsOf(series, ['lastObservedTime']) } }),
  };
}

/** The YAML of a page names the parts that are left out. */
function keepSubscription(object: KubeObject): KubeObject {
  const { metadata, ...rest } = object;
  const { labels, annotations } = metadata;
  const { [LAST_APPLIED]: _, ...own } = annotations ?? {};
  const spec = fieldsOf(rest['spec']);
  const tooLarge = ONLY_SHOWN.filter((name) => !isLight(spec[name]));
  const [hasLabels, hasAnnotations] = [isLight(labels), isLight(own)];
  const kept = {
    ...rest,
    metadata: {
      ...keepIdentity(metadata),
      ...(labels !== undefined && hasLabels && { labels }),
      ...(annotations !== undefined && { annotations: hasAnnotations ? own : requestOf(own) }),
    },
    ...(tooLarge.length > 0 && { spec: without(spec, tooLarge) }),
  };
  return markLeftOut(kept, [
    ...(hasLabels ? [] : ['metadata.labels']),
    ...(hasAnnotations ? [] : ['metadata.annotations']),
    ...tooLarge.map((name) => `spec.${name}`),
  ]);
}

/** Fields of a Subscription's spec without a small bound, which no view reads. */
const ONLY_SHOWN = ['config', 'crdUpgradeSafety'] as const;

/** The last state that was applied: no page shows it. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The Subscription that requested this one. */
function requestOf({
  [ANNOTATION.requestedBy]: uid,
}: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return uid === undefined ? {} : { [ANNOTATION.requestedBy]: beginningOf(uid, MOST_TEXT) };
}

/** Without the properties of the bundle, the signatures of its images, and the hashes of its objects. */
function keepRevision({ metadata, ...rest }: KubeObject): KubeObject {
  const [spec, status] = [rest['spec'], rest['status']];
  const inventory = fieldsOf(status)['inventory'];
  return {
    ...rest,
    metadata: keepIdentity(metadata),
    ...(isRecord(spec) && { spec: without(spec, ['properties', 'imageSignatures']) }),
    ...(isRecord(status) &&
      inventory !== undefined && {
        status: { ...status, inventory: listOf(inventory).map((entry) => ({ ...entry, hash: '' })) },
      }),
  };
}

/** Only administrators write it, with the bounds of its CRD. */
function keepOfAdministrator({ metadata, ...rest }: KubeObject): KubeObject {
  const { labels } = metadata;
  return { ...rest, metadata: { ...keepIdentity(metadata), ...(labels !== undefined && { labels }) } };
}

function textsOf(fields: Fields, names: readonly string[]): Fields {
  const texts = names.flatMap((name) => {
    const value = fields[name];
    return typeof value === 'string' ? [[name, beginningOf(value, MOST_TEXT)] as const] : [];
  });
  return Object.fromEntries(texts);
}

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Whether a value may be kept. */
function isLight(value: unknown): boolean {
  return takeRoom(value, makeRoom(MOST_WEIGHT, COSTS), Infinity) === undefined;
}
