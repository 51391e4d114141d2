/** The rules by which a plan can be denied: closed names for sets of risks. A pipeline names them, and later a policy. Pure. */
import type { Plan, StatedRisk } from './model.ts';
import type { RiskReason } from './risks.ts';

interface DenyRule {
  readonly meaning: string;
  readonly denies: (risk: StatedRisk) => boolean;
}

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
  irreversible: { meaning: 'there is no way back', denies: ({ level }) => level === 'irreversible' },
  high: {
    meaning: 'any risk is high or irreversible',
    denies: ({ level }) => level === 'high' || level === 'irreversible',
  },
} as const satisfies Readonly<Record<string, DenyRule>>;

export type DenyRuleName = keyof typeof DENY_RULES;

export const DENY_RULE_NAMES = Object.keys(DENY_RULES) as readonly DenyRuleName[];

/** A rule that a plan hits, with the facts that hit it. */
export interface Denial {
  readonly rule: DenyRuleName;
  readonly messages: readonly string[];
}

/** The rules that the plan hits, in the order of the closed list. */
export function denialsOf({ risk }: Pick<Plan, 'risk'>, rules: readonly DenyRuleName[]): readonly Denial[] {
  return DENY_RULE_NAMES.filter((rule) => rules.includes(rule)).flatMap((rule) => {
    const messages = risk.reasons.filter((reason) => DENY_RULES[rule].denies(reason)).map(({ message }) => message);
    return messages.length === 0 ? [] : [{ rule, messages }];
  });
}
