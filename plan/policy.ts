/**
 * Judges a plan by an upgrade policy: which of its rules the upgrade hits, each with the fact. A fact that is not known
 * hits every rule that depends on it. Pure; the manager calls it before an upgrade starts by itself.
 */
import type { PolicyHit } from '../api/revision-plan.ts';
import type { UpgradePolicy } from '../api/upgrade-policy.ts';
import { canonicalPrefix } from '../oci/host.ts';
import { isUnder } from '../oci/mirrors.ts';
import { parseReference } from '../oci/reference.ts';
import { compareVersions, parseVersion, type SemanticVersion } from '../resolver/version.ts';
import { denialsOf, type DenyRuleName } from './deny.ts';
import type { PlanInput } from './input.ts';
import type { Plan } from './model.ts';
import { compareRights } from './rights/compare.ts';
import { shortList } from './rights/nouns.ts';
import { describeRight } from './risk.ts';

export interface PolicyQuestion {
  readonly policy: UpgradePolicy;
  readonly input: PlanInput;
  /** The plan of that input. */
  readonly plan: Plan;
}

/** The hits, in the order of the policy's fields; none: the upgrade is inside of the policy. */
export function judgePolicy(question: PolicyQuestion): readonly PolicyHit[] {
  return Object.entries(JUDGES).flatMap(([rule, judge]) => judge(question).map((message) => ({ rule, message })));
}

type PolicyJudge = (question: PolicyQuestion) => readonly string[];

/** By the field of the policy. */
const JUDGES: Readonly<Record<string, PolicyJudge>> = {
  automatic: judgeVersion,
  rights: judgeRights,
  registries: judgeRegistries,
  unsignedBundles: ({ policy, plan }) => (policy.unsignedBundles === 'Wait' ? messagesOf(plan, 'unsigned') : []),
  unsafeCRDs: ({ policy, plan }) =>
    policy.unsafeCRDs === 'Wait' ? [...messagesOf(plan, 'unsafe-crd'), ...unknownIn(plan)] : [],
  irreversible: ({ policy, plan }) =>
    policy.irreversible === 'Wait' ? [...messagesOf(plan, 'irreversible'), ...unknownIn(plan)] : [],
};

function messagesOf(plan: Plan, rule: DenyRuleName): readonly string[] {
  return denialsOf(plan, [rule]).flatMap(({ messages }) => messages);
}

function unknownIn({ unknown }: Plan): readonly string[] {
  return unknown.map((fact) => `it is not known ${fact}`);
}

function judgeVersion({ policy: { automatic }, input: { from, to } }: PolicyQuestion): readonly string[] {
  if (automatic === 'All' || from === undefined || to === undefined) return [];
  const [old, next] = [parseVersion(from.version), parseVersion(to.version)];
  if (!old.ok || !next.ok) return [`it is not known how far ${to.version} is from ${from.version}`];
  if (compareVersions(next.value, old.value) < 0) return [`${to.version} is lower than ${from.version}`];
  const growth = growthOf(old.value, next.value);
  if (GROWTHS.indexOf(growth) <= GROWTHS.indexOf(automatic)) return [];
  return [
    `${from.version} → ${to.version} is a ${growth.toLowerCase()} upgrade, and up to ${automatic} start by themselves`,
  ];
}

const GROWTHS = ['Patch', 'Minor', 'Major'] as const;

function growthOf(old: SemanticVersion, next: SemanticVersion): (typeof GROWTHS)[number] {
  if (old.major !== next.major) return 'Major';
  return old.minor === next.minor ? 'Patch' : 'Minor';
}

/** The rights beyond the installed and the allowed ones; a right whose extent is not known is always beyond. */
function judgeRights({ policy, input: { from, to, facts = {} }, plan }: PolicyQuestion): readonly string[] {
  if (policy.rights === 'MayGrow') return [];
  const allowed = (policy.allowedRights ?? []).map((rule) => ({
    verbs: rule.verbs,
    apiGroups: rule.apiGroups ?? [],
    resources: rule.resources ?? [],
    resourceNames: rule.resourceNames ?? [],
    nonResourceURLs: rule.nonResourceURLs ?? [],
    ...(rule.namespaces !== undefined && { namespaces: rule.namespaces }),
  }));
  const { gained } = compareRights(from?.objects ?? [], to?.objects ?? [], facts.clusterRoles, allowed);
  const conversions = plan.webhooks.added.filter(({ type }) => type === 'conversion');
  return [...gained.map(describeRight), ...conversions.map(({ name }) => `${name} is added`)];
}

/** Longest list of registries in one message. */
const MOST_NAMED = 20;

function judgeRegistries({ policy: { registries }, plan }: PolicyQuestion): readonly string[] {
  if (registries === undefined) return [];
  const named = shortList(registries, MOST_NAMED);
  return plan.images.added
    .filter(({ image }) => !isFrom(image, registries))
    .map(({ image }) => `the image ${image} comes from none of the registries ${named}`);
}

/** Whether an image is in one of some registries or repositories; a reference that cannot be read is in none. */
function isFrom(image: string, registries: readonly string[]): boolean {
  const place = placeOf(image);
  return place !== undefined && registries.some((one) => isUnder(place, canonicalPrefix(one.replace(/\/$/, ''))));
}

function placeOf(image: string): string | undefined {
  try {
    const { registry, repository } = parseReference(image);
    return `${registry}/${repository}`;
  } catch {
    return undefined;
  }
}
