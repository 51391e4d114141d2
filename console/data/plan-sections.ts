/** The content of a plan for its page: of the whole plan, or of its summary in the status of the Revision. Pure. */
import type { PlanRecord } from '../../api/revision-plan.ts';
import type { Plan } from '../../plan/model.ts';
import { countObjects, sectionsOf, type Section } from '../../report/plan-sections.ts';
import { riskBadge } from './badges.ts';
import type { Badge, PlanSection, RiskRow } from './models.ts';
import { firstOf, indentedLine, line, nameOf } from './text.ts';

const PLAN_PAGE_LIMITS = { lines: 500, line: 1000, risks: 50 } as const;

/** The sections that `slipway plan` prints, in its order and its words. */
export function wholeSections(plan: Plan): readonly PlanSection[] {
  const sections = sectionsOf(plan);
  const hasObjects = sections.some(({ title }) => title === 'Objects');
  return [...sections, ...(hasObjects ? [] : [{ title: 'Objects', summary: countObjects(plan), lines: [] }])].map(
    sectionRow,
  );
}

export function wholeRisks({ risk }: Plan): readonly RiskRow[] {
  return risk.reasons.slice(0, PLAN_PAGE_LIMITS.risks).map(({ level, reason, message }) => ({
    level: riskBadge(level),
    reason: nameOf(reason),
    message: line(message),
  }));
}

export function summarySections(record: PlanRecord): readonly PlanSection[] {
  const { rightsGained = [], moreRights = 0, objects, unknown = [] } = record;
  const more = moreRights === 0 ? [] : [`and ${moreRights} more`];
  const all: readonly Section[] = [
    { title: 'Rights gained', lines: [...rightsGained, ...more] },
    { title: 'Objects', summary: objects === undefined ? 'not known' : countSummary(objects), lines: [] },
    { title: 'Not known', lines: unknown },
  ];
  return all.filter(({ lines, summary }) => lines.length > 0 || summary !== undefined).map(sectionRow);
}

/** Each is `level: fact`. */
export function summaryRisks({ reasons = [] }: PlanRecord): readonly RiskRow[] {
  return reasons.map((text) => {
    const [, level, fact] = /^(low|high|irreversible): (.*)$/s.exec(text) ?? [];
    return { level: levelBadge(level), reason: '', message: line(fact ?? text) };
  });
}

function levelBadge(level: string | undefined): Badge {
  return level === undefined
    ? { word: 'unknown', tone: 'unknown' }
    : riskBadge(level as 'low' | 'high' | 'irreversible');
}

/** `1 created, 2 changed, 20 unchanged` */
function countSummary(counts: NonNullable<PlanRecord['objects']>): string {
  const kinds = ['created', 'changed', 'replaced', 'deleted', 'kept', 'unchanged'] as const;
  const parts = kinds.filter((kind) => counts[kind] > 0).map((kind) => `${counts[kind]} ${kind}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function sectionRow({ title, summary, lines }: Section): PlanSection {
  const { shown, cut } = firstOf(lines, PLAN_PAGE_LIMITS.lines, 'line');
  return {
    title,
    summary: line(summary ?? String(lines.length)),
    lines: shown.map((one) => indentedLine(one, PLAN_PAGE_LIMITS.line)),
    ...(cut !== undefined && { cut }),
  };
}
