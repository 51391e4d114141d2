/** The rules by which a plan can be denied: closed names for sets of risks. Pipelines and upgrade policies name them. Pure. */
import type { Plan, PlannedVersion, StatedRisk } from './model.ts';
import type { RiskReason } from './risks.ts';

interface DenyRule {
  readonly meaning: string;
  readonly denies: (risk: StatedRisk) => boolean;
  /** A fact beside the risks that hits the rule. */
  readonly factOf?: (plan: DeniedPlan) => string | undefined;
}

type DeniedPlan = Pick<Plan, 'risk' | 'to'>;

const reasons =
  (...list: readonly RiskReason[]): DenyRule['denies'] =>
  ({ reason }) =>
    list.includes(reason);

const DENY_RULES = {
  'rights-growth': {
    meaning: 'the operator gains rights, or intercepts writes that it did not intercept',
    denies: reasons('DangerousRights', 'MoreRights', 'RightsNotKnown', 'WebhookIntercepts', 'WebhookAdded'),
  },
  'unsafe-crd': {
    meaning: 'a change of a CRD may lose data or reject objects',
    denies: reasons('CRDLosesData', 'CRDRejectsObjects', 'StorageVersionMoves', 'CRDVersionUnserved', 'CRDRemoved'),
  },
  'other-registry': {
    meaning: 'an image comes from a registry from which no installed image comes',
    denies: reasons('OtherRegistry'),
  },
  major: { meaning: 'the major version grows', denies: reasons('MajorVersion') },
  unsigned: {
    meaning: 'no trusted signature of the bundle image is known',
    denies: () => false,
    factOf: ({ to }) => (to === undefined || to.signedBy !== undefined ? undefined : describeUnsigned(to)),
  },
  irreversible: { meaning: 'there is no way back', denies: ({ level }) => level === 'irreversible' },
  high: {
    meaning: 'any risk is high or irreversible',
    denies: ({ level }) => level === 'high' || level === 'irreversible',
  },
} as const satisfies Readonly<Record<string, DenyRule>>;

function describeUnsigned({ bundle, image, unsigned }: PlannedVersion): string {
  const subject = image ?? `${bundle}, which is read from a folder`;
  return `no trusted signature is known of ${subject}${unsigned === undefined ? '' : `: ${unsigned}`}`;
}

const RULES: Readonly<Record<DenyRuleName, DenyRule>> = DENY_RULES;

export type DenyRuleName = keyof typeof DENY_RULES;

export const DENY_RULE_NAMES = Object.keys(DENY_RULES) as readonly DenyRuleName[];

/** A rule that a plan hits, with the facts that hit it. */
export interface Denial {
  readonly rule: DenyRuleName;
  readonly messages: readonly string[];
}

/** The rules that the plan hits, in the order of the closed list. */
export function denialsOf(plan: DeniedPlan, rules: readonly DenyRuleName[]): readonly Denial[] {
  return DENY_RULE_NAMES.filter((rule) => rules.includes(rule)).flatMap((rule) => {
    const { denies, factOf } = RULES[rule];
    const fact = factOf?.(plan);
    const risks = plan.risk.reasons.filter((reason) => denies(reason)).map(({ message }) => message);
    const messages = fact === undefined ? risks : [...risks, fact];
    return messages.length === 0 ? [] : [{ rule, messages }];
  });
}
