/**
 * Whether an existing object belongs to a Subscription. Pure; preflight.ts and settle-write.ts call it before they
 * write, remove.ts before it deletes. A name proves nothing, since it can be reused: an object is ours if it names the
 * uid of our Subscription, or if our inventory has its uid. Any other object is adopted only if a person asks for it.
 */
import { ReasonedError } from '../api/errors.ts';
import { ANNOTATION, LABEL } from '../api/names.ts';
import { describeRef, refOf, type KubeObject } from '../api/object.ts';
import { ownerName, type Owner } from './prepare.ts';

export type Ownership =
  /** Belongs to our Subscription; `proven` if the inventory has its uid, and not only its annotation says so. */
  | { readonly kind: 'ours'; readonly proven: boolean }
  /** A person has annotated it for adoption by us. */
  | { readonly kind: 'adopted'; readonly from: string }
  /** An earlier Subscription of our name left it, or its annotation falsely says so. */
  | { readonly kind: 'left'; readonly owner: string }
  /** Belongs to another owner, or to an unknown one. */
  | { readonly kind: 'foreign'; readonly owner: string };

/** The owner of an existing object; `knownUid` is its uid in the inventory, if any. */
export function judgeOwnership(live: KubeObject, owner: Owner, knownUid?: string): Ownership {
  const self = ownerName(owner);
  const claimed = claimedBy(live);
  const named = claimed === undefined || claimed === self;
  const uid = live.metadata.annotations?.[ANNOTATION.ownerUid];
  const proven = isProven(live, knownUid);
  // Earlier releases wrote no uid: objects that they applied are known by the inventory alone.
  if (named && (uid === undefined ? proven : uid === owner.uid)) return { kind: 'ours', proven };
  const other = otherOwner(live);
  if (live.metadata.annotations?.[ANNOTATION.adoptBy] === self) return { kind: 'adopted', from: other ?? 'no owner' };
  if (claimed === self) return { kind: 'left', owner: `an earlier Subscription ${self}, which left it` };
  return { kind: 'foreign', owner: other ?? 'no owner that Slipway knows' };
}

/** Whether the inventory has the object's uid. */
export function isProven(live: KubeObject | undefined, knownUid: string | undefined): boolean {
  return knownUid !== undefined && knownUid !== '' && knownUid === live?.metadata.uid;
}

/** The error for an object that is not ours: Collision, retried with growing delays since a person may resolve it. */
export function collisionError(live: KubeObject, owner: Owner, holder: string): ReasonedError {
  return new ReasonedError({
    reason: 'Collision',
    retry: 'backoff',
    message: `${describeRef(refOf(live))} exists already and belongs to ${holder}`,
    hint: hintFor(live, owner),
  });
}

/**
 * A hint never suggests an immediate deletion that could destroy data of others, such as a CRD with its custom
 * resources.
 */
function hintFor(live: KubeObject, owner: Owner): string {
  const self = ownerName(owner);
  const handOver = `the annotation ${ANNOTATION.adoptBy}=${self} on it`;
  if (claimedBy(live) === self) return `It stays as it is until it is handed over with ${handOver}`;
  return `It stays as it is. Delete this Subscription, or ask for a version without the object; if its owner agrees, hand it over with ${handOver}`;
}

/** The Subscription that an object names as its owner: `namespace/name`. */
export function claimedBy({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[ANNOTATION.owner];
}

function labelOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[LABEL.owner];
}

/** All known ways to find an object's owner, the most explicit first; each returns a name for messages. */
const CLAIMS: readonly ((object: KubeObject) => string | undefined)[] = [
  (object) => named('Subscription', claimedBy(object) ?? labelOf(object)),
  ({ metadata: { ownerReferences = [] } }) => {
    const holder = ownerReferences.find(({ controller }) => controller === true) ?? ownerReferences[0];
    return holder === undefined ? undefined : `${holder.kind} ${holder.name}`;
  },
  ({ metadata: { annotations, labels } }) => {
    const release = annotations?.['meta.helm.sh/release-name'];
    const namespace = annotations?.['meta.helm.sh/release-namespace'];
    if (release !== undefined) return `the Helm release ${namespace === undefined ? '' : `${namespace}/`}${release}`;
    return labels?.['app.kubernetes.io/managed-by'] === 'Helm' ? 'a Helm release' : undefined;
  },
  ({ metadata: { labels } }) => {
    const kind = labels?.['olm.operatorframework.io/owner-kind'];
    const name = labels?.['olm.operatorframework.io/owner-name'];
    return name === undefined ? undefined : `the OLM v1 ${kind ?? 'ClusterExtension'} ${name}`;
  },
  ({ metadata: { labels } }) => {
    const name = labels?.['olm.owner'];
    const namespace = labels?.['olm.owner.namespace'];
    if (name !== undefined) {
      return `the OLM v0 ${labels?.['olm.owner.kind'] ?? 'object'} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
    }
    return labels?.['olm.managed'] === 'true' || hasPrefix(labels, 'operators.coreos.com/') ? 'OLM v0' : undefined;
  },
  ({ metadata: { labels } }) => named('the kapp app', labels?.['kapp.k14s.io/app']),
  ({ metadata: { annotations, labels } }) =>
    named(
      'the Argo CD application',
      annotations?.['argocd.argoproj.io/tracking-id']?.split(':', 1)[0] ?? labels?.['argocd.argoproj.io/instance'],
    ),
  ({ metadata: { labels } }) => {
    for (const kind of ['kustomize', 'helm'] as const) {
      const name = labels?.[`${kind}.toolkit.fluxcd.io/name`];
      const namespace = labels?.[`${kind}.toolkit.fluxcd.io/namespace`];
      const what = kind === 'helm' ? 'HelmRelease' : 'Kustomization';
      if (name !== undefined) return `the Flux ${what} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
    }
    return undefined;
  },
  ({ metadata: { labels } }) => named('the Crossplane package', labels?.['pkg.crossplane.io/package']),
  ({ metadata: { labels } }) => {
    const manager = labels?.[LABEL.managedBy];
    return manager === 'slipway' ? undefined : named('the manager', manager);
  },
];

function otherOwner(object: KubeObject): string | undefined {
  for (const claim of CLAIMS) {
    const name = claim(object);
    if (name !== undefined) return name;
  }
  return undefined;
}

function named(what: string, name: string | undefined): string | undefined {
  return name === undefined ? undefined : `${what} ${name}`;
}

function hasPrefix(labels: Readonly<Record<string, string>> | undefined, prefix: string): boolean {
  return Object.keys(labels ?? {}).some((key) => key.startsWith(prefix));
}
