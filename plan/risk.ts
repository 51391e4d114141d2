/** Judges a change: the risks of the closed list that apply, each with the fact that gives it. Pure. */
import { describeFinding, isDangerous } from '../apply/crd-safety/compare.ts';
import { identityOf } from '../apply/identity.ts';
import { isCrd } from '../api/crd-kind.ts';
import { describeRef, groupKind, refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { fieldsOf, itemsOf, textOf } from '../api/untyped.ts';
import { compareVersions, parseVersion } from '../resolver/version.ts';
import { immutableChanges } from './immutable.ts';
import { registriesOf } from './images.ts';
import type { PlanInput } from './input.ts';
import { NOT_KNOWN, type CrdChange, type Plan, type Risk, type StatedRisk } from './model.ts';
import type { ComparedObjects } from './objects.ts';
import { compareDangers } from './rights/dangers.ts';
import type { OperatorRight } from './rights/right.ts';
import { compareLevels, RISK_REASONS, RISKS, type RiskReason } from './risks.ts';

/** A plan before it is judged. */
export type RiskFacts = Omit<Plan, 'risk' | 'hash' | 'wayBack'>;

interface JudgedRisk {
  readonly input: PlanInput;
  readonly compared: ComparedObjects;
  readonly plan: RiskFacts;
}

type Fact = readonly [reason: RiskReason, message: string];

/** All risks, the worst first, then in the order of the closed list. */
export function judgeRisk(judged: JudgedRisk): Risk {
  const facts = JUDGES.flatMap((judge) => judge(judged));
  const reasons = facts
    .map(([reason, message]): StatedRisk => ({ reason, level: RISKS[reason].level, message }))
    .toSorted(
      (a, b) => compareLevels(b.level, a.level) || RISK_REASONS.indexOf(a.reason) - RISK_REASONS.indexOf(b.reason),
    );
  return { level: reasons[0]?.level ?? 'none', reasons };
}

const JUDGES: readonly ((judged: JudgedRisk) => readonly Fact[])[] = [
  judgeDeletions,
  judgeCrds,
  judgeRights,
  judgeImages,
  judgeWrites,
  judgeServices,
  judgeVersion,
  judgeRestarts,
  judgeDependencies,
];

const HOLDS_DATA: ReadonlySet<string> = new Set(['Namespace', 'PersistentVolume', 'PersistentVolumeClaim']);
const PROTECTS: ReadonlySet<string> = new Set([
  'LimitRange',
  'NetworkPolicy.networking.k8s.io',
  'PodDisruptionBudget.policy',
  'ResourceQuota',
  'ValidatingAdmissionPolicy.admissionregistration.k8s.io',
  'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io',
]);

function judgeDeletions({ input, plan }: JudgedRisk): readonly Fact[] {
  const { deleted } = plan.objects;
  const others = deleted.filter((ref) => !HOLDS_DATA.has(groupKind(ref)) && !isCrd(ref));
  const ordinary = others.filter((ref) => !PROTECTS.has(groupKind(ref)));
  return [
    ...deleted
      .filter((ref) => HOLDS_DATA.has(groupKind(ref)))
      .map((ref): Fact => ['DataDeleted', `${describeRef(ref)} is deleted with its data`]),
    ...(input.to === undefined
      ? []
      : others
          .filter((ref) => PROTECTS.has(groupKind(ref)))
          .map((ref): Fact => ['ProtectionRemoved', `${describeRef(ref)} is deleted`])),
    ...(ordinary.length === 0 ? [] : [['ObjectsDeleted', `${countOf(ordinary)} deleted`] as const]),
  ];
}

function countOf(refs: readonly (ObjectRef | { readonly ref: ObjectRef })[]): string {
  return refs.length === 1 ? '1 object is' : `${refs.length} objects are`;
}

function judgeCrds({ input, plan }: JudgedRisk): readonly Fact[] {
  return plan.crds.flatMap((crd) => [...judgeFindings(crd), ...judgeStorage(crd), ...judgeRemoval(crd, input)]);
}

function judgeFindings({ crd, findings }: CrdChange): readonly Fact[] {
  return findings.flatMap((finding): readonly Fact[] => {
    const message = `${crd}: ${describeFinding(finding)}`;
    if (finding.rule === 'servedVersionRemoval') return [['CRDVersionUnserved', message]];
    if (!isDangerous(finding)) return [];
    return [[finding.effect === 'loses' ? 'CRDLosesData' : 'CRDRejectsObjects', message]];
  });
}

/** The way back exists if the installed CRD has the new storage version, too: it was added by an earlier version. */
function judgeStorage({ crd, storage, versionsAdded }: CrdChange): readonly Fact[] {
  if (storage === undefined || !versionsAdded.includes(storage.to)) return [];
  return [
    [
      'StorageVersionMoves',
      `point of no return: ${crd} moves its storage version from ${storage.from} to ${storage.to}`,
    ],
  ];
}

function judgeRemoval({ crd, change, customResources }: CrdChange, input: PlanInput): readonly Fact[] {
  if (change !== 'deleted') return [];
  const isEmptied = input.to === undefined && input.customResources === 'Delete';
  if (isEmptied && customResources !== 0)
    return [
      ['DataDeleted', `${describeCount(customResources)} of ${crd} ${customResources === 1 ? 'is' : 'are'} deleted`],
    ];
  if (input.to === undefined) return [];
  const fate = describeFate(customResources);
  return [['CRDRemoved', `the new version does not bring ${crd}: ${fate}`]];
}

function describeCount(count: CrdChange['customResources']): string {
  if (count === NOT_KNOWN) return 'All custom resources, whose number is not known,';
  return `${count} custom ${count === 1 ? 'resource' : 'resources'}`;
}

function describeFate(count: CrdChange['customResources']): string {
  if (count === NOT_KNOWN) return 'it is deleted if it has no custom resources, and else stays without an operator';
  return count === 0 ? 'it is deleted' : `it stays with ${describeCount(count)}, without an operator`;
}

function judgeRights({ plan }: JudgedRisk): readonly Fact[] {
  return [
    ...plan.rights.gained.map((right): Fact => [reasonOf(right), describeRight(right)]),
    ...plan.webhooks.added
      .filter(({ type }) => type === 'conversion')
      .map(({ name }): Fact => ['WebhookAdded', `${name} is added`]),
  ];
}

function reasonOf({ words, danger, isOpen }: OperatorRight): RiskReason {
  if (isOpen === true) return 'RightsNotKnown';
  if (words.startsWith('intercepts ')) return danger === 'low' ? 'WebhookAdded' : 'WebhookIntercepts';
  return compareDangers(danger, 'high') >= 0 ? 'DangerousRights' : 'MoreRights';
}

/** `the operator may read Secrets in every namespace, so it can read passwords and tokens` */
export function describeRight({ holder, words, because }: OperatorRight): string {
  return `${holder} ${words}${because === undefined ? '' : `, ${because}`}`;
}

function judgeImages({ input, plan }: JudgedRisk): readonly Fact[] {
  const { added } = plan.images;
  const known = registriesOf(input.from?.objects ?? []);
  const foreign = added.filter(({ registry }) => registry === undefined || !known.has(registry));
  return [
    ...(input.from === undefined || known.size === 0
      ? []
      : foreign.map(({ image, registry }): Fact => [
          'OtherRegistry',
          registry === undefined
            ? `the registry of the image ${image} is not known, as its reference cannot be read`
            : `the image ${image} comes from ${registry}, and no installed image does`,
        ])),
    ...added
      .filter(({ digest }) => digest === undefined)
      .map(({ image }): Fact => ['ImageNotPinned', `the image ${image} is named without its digest`]),
  ];
}

function judgeWrites({ input, compared, plan }: JudgedRisk): readonly Fact[] {
  const { created, changed } = plan.objects;
  const counts = [
    { number: created.length, verb: 'created' },
    { number: changed.length, verb: 'changed' },
  ];
  const parts = counts.filter(({ number }) => number > 0).map(({ number, verb }) => `${number} ${verb}`);
  return [
    ...compared.changed.flatMap(({ before, after }) =>
      immutableChanges(before, after).map((path): Fact => [
        'ImmutableField',
        `${describeRef(refOf(after))} changes ${path}, which the API server rejects while the object exists`,
      ]),
    ),
    ...compared.created.flatMap((object) => [...judgeCollision(object, input), ...judgeKind(object, input)]),
    ...(parts.length === 0 ? [] : [['ObjectsChanged', `${parts.join(' and ')} objects`] as const]),
  ];
}

function judgeCollision(object: KubeObject, { facts }: PlanInput): readonly Fact[] {
  const ref = refOf(object);
  const state = facts?.existing?.get(identityOf(ref));
  return typeof state === 'object' ? [['Collision', `${describeRef(ref)} exists and belongs to ${state.owner}`]] : [];
}

function judgeKind(object: KubeObject, { facts }: PlanInput): readonly Fact[] {
  const ref = refOf(object);
  if (facts?.unserved?.has(identityOf(ref)) !== true) return [];
  const because = `as the cluster does not serve its kind in ${ref.apiVersion}`;
  return [['KindNotServed', `${describeRef(ref)} cannot be created, ${because}`]];
}

const EXPOSED: ReadonlySet<string> = new Set(['NodePort', 'LoadBalancer']);

function judgeServices({ input, compared }: JudgedRisk): readonly Fact[] {
  if (input.from === undefined) return [];
  const pairs = [...compared.changed, ...compared.created.map((after) => ({ before: undefined, after }))];
  return pairs
    .filter(({ after }) => groupKind(after) === 'Service')
    .flatMap(({ before, after }) => exposuresOf(before, after));
}

function exposuresOf(before: KubeObject | undefined, after: KubeObject): readonly Fact[] {
  const known = before === undefined ? [] : addressesOf(before);
  const taken = addressesOf(after).filter((address) => !known.includes(address));
  const isNew = EXPOSED.has(typeOf(after)) && (before === undefined || !EXPOSED.has(typeOf(before)));
  const gains = [
    ...(isNew ? [`gets the type ${typeOf(after)}`] : []),
    ...(taken.length === 0 ? [] : [`takes all traffic of the cluster to ${taken.join(', ')}`]),
  ];
  return gains.map((gain) => ['ServiceExposed', `${describeRef(refOf(after))} ${gain}`]);
}

/** The author of the Service need not own these addresses: every node sends their traffic to it. */
function addressesOf(service: KubeObject): readonly string[] {
  return itemsOf(fieldsOf(service['spec'])['externalIPs']).map(textOf);
}

function typeOf(service: KubeObject): string {
  return textOf(fieldsOf(service['spec'])['type']);
}

function judgeVersion({ input: { from, to } }: JudgedRisk): readonly Fact[] {
  if (from === undefined || to === undefined) return [];
  const [old, next] = [parseVersion(from.version), parseVersion(to.version)];
  if (!old.ok || !next.ok) return [];
  if (compareVersions(next.value, old.value) < 0)
    return [['Downgrade', `${to.version} is lower than the installed ${from.version}`]];
  return next.value.major > old.value.major
    ? [['MajorVersion', `the major version grows from ${old.value.major} to ${next.value.major}`]]
    : [];
}

function judgeRestarts({ plan }: JudgedRisk): readonly Fact[] {
  return plan.restarts.map(({ ref, withDowntime, because }): Fact => [
    withDowntime ? 'Downtime' : 'WorkloadRestarts',
    `${describeRef(ref)} restarts: ${because}`,
  ]);
}

function judgeDependencies({ input, plan }: JudgedRisk): readonly Fact[] {
  if (input.to === undefined) return [];
  return plan.dependencies.added.map((one): Fact => ['DependencyAdded', `it needs ${one}`]);
}
