/** Prints plans as text for a terminal. Pure; every line is cleaned. */
import type { Denial } from '../../../plan/deny.ts';
import type { Plan } from '../../../plan/model.ts';
import { cleanLine } from '../../../report/clean.ts';
import type { PlanReport } from './report.ts';
import { countObjects, sectionsOf, titleOf, wayBackOf } from '../../../report/plan-sections.ts';

export function printText({ message, plans, denied }: PlanReport): string {
  if (plans.length === 0) return lines([`Nothing changes: ${message}`]);
  return [...plans.map(printPlan), ...(denied.length === 0 ? [] : [printDenied(denied)])].join('\n');
}

function printPlan(plan: Plan): string {
  const { risk, hash, subscription } = plan;
  const sections = sectionsOf(plan).flatMap(({ title, summary, lines: own }) => [
    `${title}${summary === undefined ? '' : ` (${summary})`}:`,
    ...own.map((line) => `  ${line}`),
  ]);
  return lines([
    `${titleOf(plan)} for ${subscription}`,
    `Risk: ${risk.level}`,
    ...risk.reasons.map(({ level, message, reason }) => `  ${level}: ${message} (${reason})`),
    `Way back: ${wayBackOf(plan)}`,
    ...(sections.some((line) => line.startsWith('Objects ')) ? [] : [`Objects: ${countObjects(plan)}`]),
    ...sections,
    `Hash: ${hash}`,
  ]);
}

function printDenied(denied: readonly Denial[]): string {
  return lines(denied.flatMap(({ rule, messages }) => [`Denied by ${rule}:`, ...messages.map((one) => `  ${one}`)]));
}

/** Cleaned lines that keep their indentation. */
function lines(all: readonly string[]): string {
  return all.map((line) => `${/^ */.exec(line)?.[0] ?? ''}${cleanLine(line)}\n`).join('');
}
