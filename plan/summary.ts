/** The summary of a plan for the status of its Revision: counts and the worst facts, within the bounds of the CRD. Pure. */
import { redact } from '../api/errors.ts';
import { PLAN_LIMITS, type PolicyHit, type PlanRecord } from '../api/revision-plan.ts';
import type { Plan } from './model.ts';
import { describeRight } from './risk.ts';

export type PlanSummary = Omit<PlanRecord, 'inputs' | 'secret' | 'digest' | 'omitted' | 'problem'>;

export function summaryOfPlan(plan: Plan, heldBy: readonly PolicyHit[]): PlanSummary {
  const { hash, from, risk, rights, wayBack, unknown } = plan;
  const gained = rights.gained.map((right) => `${right.danger}: ${describeRight(right)}`);
  const [because] = wayBack.because;
  return {
    hash,
    ...(from !== undefined && { from: from.version.slice(0, 256) }),
    risk: risk.level,
    ...listed(
      'reasons',
      risk.reasons.map(({ level, message }) => `${level}: ${message}`),
    ),
    objects: countsOf(plan),
    ...listed('rightsGained', gained),
    ...(gained.length > PLAN_LIMITS.items && { moreRights: gained.length - PLAN_LIMITS.items }),
    ...(because !== undefined && { pointOfNoReturn: shorten(because) }),
    ...listed('unknown', unknown),
    ...(heldBy.length > 0 && { heldBy: boundHits(heldBy) }),
  };
}

function countsOf({ objects }: Plan): NonNullable<PlanRecord['objects']> {
  const { created, changed, replaced, deleted, kept, unchanged } = objects;
  return {
    created: created.length,
    changed: changed.length,
    replaced: replaced.length,
    deleted: deleted.length,
    kept: kept.length,
    unchanged: unchanged.length,
  };
}

/** The first hit of each rule goes before the second of any. */
function boundHits(hits: readonly PolicyHit[]): readonly PolicyHit[] {
  const firsts = new Set([...Map.groupBy(hits, ({ rule }) => rule).values()].flatMap(([first]) => first ?? []));
  const rest = hits.filter((hit) => !firsts.has(hit));
  const kept = new Set([...firsts, ...rest].slice(0, PLAN_LIMITS.rules));
  return hits.filter((hit) => kept.has(hit)).map(({ rule, message }) => ({ rule, message: shorten(message) }));
}

/** The first lines under the name of their field; no field if there are none. */
function listed(
  name: 'reasons' | 'rightsGained' | 'unknown',
  lines: readonly string[],
): Pick<PlanSummary, 'reasons' | 'rightsGained' | 'unknown'> {
  return lines.length === 0 ? {} : { [name]: lines.slice(0, PLAN_LIMITS.items).map(shorten) };
}

/** Bundles write these texts. */
export function shorten(text: string): string {
  const clean = redact(text) || '(none)';
  return clean.length <= PLAN_LIMITS.text ? clean : `${clean.slice(0, PLAN_LIMITS.text - 1)}…`;
}
