/**
 * Whether an object that exists belongs to a Subscription. Pure; preflight.ts and settle-write.ts ask before they
 * write, remove.ts before it deletes. A name proves nothing, since it is given again: an object is ours if it names the
 * uid of our Subscription, or if it is the very object of our inventory. All else is adopted at the word of a person.
 */
import { ReasonedError } from '../api/errors.ts';
import { ANNOTATION, LABEL } from '../api/names.ts';
import { describeRef, refOf, type KubeObject } from '../api/object.ts';
import { ownerName, type Owner } from './prepare.ts';

export type Ownership =
  /** Of our Subscription; `proven` if it is the very object that the inventory names, and does not only say so. */
  | { readonly kind: 'ours'; readonly proven: boolean }
  /** A person has annotated it for us. */
  | { readonly kind: 'adopted'; readonly from: string }
  /** An earlier Subscription of our name left it, or it only claims so. */
  | { readonly kind: 'left'; readonly owner: string }
  /** Another owner's, or of no owner that we know. */
  | { readonly kind: 'foreign'; readonly owner: string };

/** Whose an existing object is; `knownUid` is the inventory's, where it has one. */
export function judgeOwnership(live: KubeObject, owner: Owner, knownUid?: string): Ownership {
  const self = ownerName(owner);
  const claimed = claimOf(live);
  const named = claimed === undefined || claimed === self;
  const uid = live.metadata.annotations?.[ANNOTATION.ownerUid];
  const proven = isProven(live, knownUid);
  // Releases before this one wrote no uid: what they applied is known by the inventory alone.
  if (named && (uid === undefined ? proven : uid === owner.uid)) return { kind: 'ours', proven };
  const other = otherOwner(live);
  if (live.metadata.annotations?.[ANNOTATION.adoptBy] === self) return { kind: 'adopted', from: other ?? 'nobody' };
  if (claimed === self) return { kind: 'left', owner: `an earlier Subscription ${self}, which left it` };
  return { kind: 'foreign', owner: other ?? 'no owner that Slipway knows' };
}

/** Whether it is the very object that an inventory names. */
export function isProven(live: KubeObject | undefined, knownUid: string | undefined): boolean {
  return knownUid !== undefined && knownUid !== '' && knownUid === live?.metadata.uid;
}

/** The error of an object that is not ours: Collision, retried with growing delays since a person may resolve it. */
export function collisionError(live: KubeObject, owner: Owner, holder: string): ReasonedError {
  return new ReasonedError({
    reason: 'Collision',
    retry: 'backoff',
    message: `${describeRef(refOf(live))} exists already and belongs to ${holder}`,
    hint: `Remove it, or hand it over with the annotation ${ANNOTATION.adoptBy}=${ownerName(owner)}`,
  });
}

function claimOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[ANNOTATION.owner];
}

function labelOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[LABEL.owner];
}

/** Every known way to say whose an object is, the clearest first; each gives a name for messages. */
const CLAIMS: readonly ((object: KubeObject) => string | undefined)[] = [
  (object) => named('Subscription', claimOf(object) ?? labelOf(object)),
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
