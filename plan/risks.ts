/**
 * The closed list of risks, with the level of each: policies and `--deny` name them, so none is renamed or removed. Pure
 * data.
 */

/** From the least to the worst. */
const RISK_LEVELS = ['none', 'low', 'high', 'irreversible'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

interface RiskMeaning {
  readonly level: Exclude<RiskLevel, 'none'>;
  readonly meaning: string;
}

export const RISKS = {
  DataDeleted: {
    level: 'irreversible',
    meaning: 'Objects that hold data of users are deleted: volumes, namespaces, custom resources.',
  },
  CRDLosesData: { level: 'irreversible', meaning: 'A change of a CRD may lose data of existing custom resources.' },
  StorageVersionMoves: {
    level: 'irreversible',
    meaning: 'Custom resources are stored in a version that the installed CRD does not have.',
  },
  DangerousRights: {
    level: 'high',
    meaning: 'The operator gains rights by which it can read secrets, run programs as others, or gain further rights.',
  },
  RightsNotKnown: {
    level: 'high',
    meaning:
      'The operator gains rights whose extent is not known: of a role or a ServiceAccount that is not part of the bundle, or too many to compare.',
  },
  WebhookIntercepts: {
    level: 'high',
    meaning: 'A new webhook intercepts writes of kinds that the bundle does not define.',
  },
  OtherRegistry: { level: 'high', meaning: 'An image comes from a registry from which no installed image comes.' },
  CRDRejectsObjects: {
    level: 'high',
    meaning: 'After a change of a CRD the API server may reject writes of existing custom resources.',
  },
  CRDVersionUnserved: { level: 'high', meaning: 'A version of a CRD is no longer served; its clients fail.' },
  CRDRemoved: { level: 'high', meaning: 'The new version no longer brings a CRD.' },
  ImmutableField: {
    level: 'high',
    meaning:
      'A field changes that the API server does not let change: the roll-out is rejected until a person deletes the object.',
  },
  Collision: { level: 'high', meaning: 'An object that is to be created exists and belongs to another owner.' },
  KindNotServed: {
    level: 'high',
    meaning: 'The cluster does not serve the kind of an object that is to be created: the roll-out is rejected.',
  },
  ServiceExposed: {
    level: 'high',
    meaning:
      'A Service becomes reachable from outside of the cluster, or takes the traffic of the cluster to other addresses.',
  },
  ProtectionRemoved: {
    level: 'high',
    meaning: 'An object that limits or protects is deleted: a NetworkPolicy, a PodDisruptionBudget, a quota.',
  },
  MajorVersion: { level: 'high', meaning: 'The major version grows.' },
  Downgrade: { level: 'high', meaning: 'The version is lower than the installed one.' },
  MoreRights: { level: 'low', meaning: 'The operator gains rights, none of them dangerous.' },
  WebhookAdded: { level: 'low', meaning: 'A webhook is added that intercepts only kinds that the bundle defines.' },
  Downtime: { level: 'low', meaning: 'All Pods of a workload end before new ones start.' },
  WorkloadRestarts: { level: 'low', meaning: 'The Pods of a workload are replaced.' },
  ImageNotPinned: { level: 'low', meaning: 'A new image is named by a tag, which can come to mean another image.' },
  DependencyAdded: {
    level: 'low',
    meaning: 'The new version needs a package or kind that the installed one does not need.',
  },
  ObjectsDeleted: { level: 'low', meaning: 'Objects are deleted that hold no data of users.' },
  ObjectsChanged: { level: 'low', meaning: 'Objects are created or changed.' },
} as const satisfies Readonly<Record<string, RiskMeaning>>;

export type RiskReason = keyof typeof RISKS;

export const RISK_REASONS = Object.keys(RISKS) as readonly RiskReason[];

/** Compares two levels by their order. */
export function compareLevels(a: RiskLevel, b: RiskLevel): number {
  return RISK_LEVELS.indexOf(a) - RISK_LEVELS.indexOf(b);
}
