/** Subscriptions, Revisions and catalogs for tables of tests: a case sets only the fields that it is about. */
import { API_VERSION } from '../../../api/names.ts';
import type { Condition } from '../../../api/conditions.ts';
import { parseObject } from '../../../api/kind.ts';
import type { Revision, RevisionSpec } from '../../../api/revision.ts';
import { SUBSCRIPTION, type Subscription } from '../../../api/subscription.ts';
import type { SubscriptionStatus } from '../../../api/subscription-status.ts';
import type { CatalogPackage, Property } from '../../../catalog/model.ts';
import type { CatalogSource } from '../../../resolver/input.ts';
import { configHash } from '../../config-hash.ts';
import { secretNames } from '../../manifest-secrets.ts';
import type { SubscriptionFacts } from '../observe.ts';

export const NOW = new Date('2026-05-01T12:00:00Z');
const DIGEST = `sha256:${'a'.repeat(64)}`;

export interface SubscriptionParts {
  readonly name?: string;
  readonly namespace?: string;
  readonly spec?: object;
  readonly status?: SubscriptionStatus;
  readonly metadata?: object;
}

/** Of the package `gadget`, with the defaults that the API server fills in. */
export function subscription(parts: SubscriptionParts = {}): Subscription {
  const { name = 'gadget', namespace = 'ops', spec = {}, status, metadata = {} } = parts;
  const object = parseObject(SUBSCRIPTION, {
    apiVersion: API_VERSION,
    kind: 'Subscription',
    metadata: { name, namespace, uid: 'u', generation: 1, ...metadata },
    spec: { package: 'gadget', ...spec },
  });
  return { ...object, status: { observedGeneration: 1, ...status } };
}

export interface RevisionParts extends Partial<RevisionSpec> {
  readonly ready?: boolean;
  /** When it was first healthy; by default a ready Revision was, an hour ago. */
  readonly firstReadyTime?: string;
  /** When another one took over from it. */
  readonly lastActiveTime?: string;
  /** The reason of Ready, if it is not True. */
  readonly reason?: string;
  readonly stalled?: boolean;
  /** Whether an attempt has ended that is made again. */
  readonly reconciling?: boolean;
  /** When Ready got its status; by default an hour ago. */
  readonly readySince?: string;
  readonly inventory?: readonly string[];
  readonly deleted?: boolean;
}

/** Active, approved and not yet applied, of the version 1.0.0, unless a case says otherwise. */
export function revision(parts: RevisionParts = {}): Revision {
  const {
    ready,
    firstReadyTime,
    lastActiveTime,
    reason: _reason,
    stalled: _stalled,
    reconciling: _reconciling,
    readySince: _since,
    inventory,
    deleted,
    ...spec
  } = parts;
  const { number = 1, version = '1.0.0', package: name = 'gadget', subscription: owner = name } = spec;
  const healthySince = firstReadyTime ?? (ready === true ? '2026-05-01T11:00:00Z' : undefined);
  const entries = (inventory ?? []).map((entry) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: entry,
    uid: 'u',
    hash: 'h',
  }));
  return {
    apiVersion: API_VERSION,
    kind: 'Revision',
    metadata: {
      name: `${owner}-${number}`,
      namespace: 'ops',
      uid: `r${number}`,
      ownerReferences: [{ apiVersion: API_VERSION, kind: 'Subscription', name: owner, uid: 'u', controller: true }],
      ...(deleted === true && { deletionTimestamp: '2026-05-01T11:59:00Z' }),
    },
    spec: {
      subscription: owner,
      number,
      package: name,
      bundle: `${name}.v${version}`,
      version,
      catalog: 'main',
      channel: 'stable',
      image: `registry.example/${name}@${DIGEST}`,
      configHash: configHash(subscription()),
      manifests: { secrets: [...secretNames(`${owner}-${number}`, DIGEST, 1)], digest: DIGEST, objects: 3 },
      certificates: 'Manager',
      approved: true,
      state: 'Active',
      ...spec,
    },
    status: {
      conditions: conditionsOf(parts),
      ...(healthySince !== undefined && { firstReadyTime: healthySince }),
      ...(lastActiveTime !== undefined && { lastActiveTime }),
      ...(entries.length > 0 && { inventory: entries }),
    },
  };
}

function conditionsOf({ ready, reason, stalled, reconciling, readySince }: RevisionParts): readonly Condition[] {
  if (ready === undefined && reason === undefined) return [];
  const base = { message: 'as it says', observedGeneration: 1, lastTransitionTime: '2026-05-01T11:00:00Z' };
  const judged: Condition = {
    ...base,
    ...(readySince !== undefined && { lastTransitionTime: readySince }),
    type: 'Ready',
    status: ready === true ? 'True' : 'False',
    reason: reason ?? 'Succeeded',
  };
  return [
    judged,
    ...(stalled === true
      ? [{ ...base, type: 'Stalled', status: 'True', reason: reason ?? 'ApplyFailed' } as const]
      : []),
    ...(reconciling === true ? [{ ...base, type: 'Reconciling', status: 'True', reason: 'Progressing' } as const] : []),
  ];
}

export interface PackageParts {
  readonly package?: string;
  readonly catalog?: string;
  readonly priority?: number;
  /** Versions of the channel `stable`, each replacing the one before. */
  readonly versions: readonly string[];
  readonly properties?: readonly Property[];
}

/** A catalog that serves one package. */
export function catalog({
  package: name = 'gadget',
  catalog: from = 'main',
  priority = 0,
  ...parts
}: PackageParts): CatalogSource {
  const content: CatalogPackage = {
    name,
    defaultChannel: 'stable',
    channels: [
      {
        name: 'stable',
        entries: parts.versions.map((version, at) => ({
          name: `${name}.v${version}`,
          skips: [],
          ...(at > 0 && { replaces: `${name}.v${parts.versions[at - 1]}` }),
        })),
      },
    ],
    bundles: parts.versions.map((version) => ({
      name: `${name}.v${version}`,
      package: name,
      version,
      image: `registry.example/${name}:v${version}`,
      properties: parts.properties ?? [],
      relatedImages: [],
    })),
    deprecations: [],
  };
  return { name: from, priority, state: 'Serving', content: (asked) => (asked === name ? content : undefined) };
}

/** Empty facts, except for the given ones. */
export function facts(parts: Partial<SubscriptionFacts> = {}): SubscriptionFacts {
  return {
    subscription: subscription(),
    revisions: [],
    nextNumber: 1,
    catalogs: [catalog({ versions: ['1.0.0'] })],
    neighbours: [],
    cluster: { providedKinds: [], packages: [], coming: [] },
    now: NOW,
    ...parts,
  };
}
