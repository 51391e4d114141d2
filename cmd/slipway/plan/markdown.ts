/** Prints plans as Markdown for a merge request: short on top, details folded. Pure; texts of others become code. */
import type { Plan } from '../../../plan/model.ts';
import { asBlock, asCode } from '../output/markdown.ts';
import type { PlanReport } from './report.ts';
import { countObjects, sectionsOf, titleOf, wayBackOf, type Section } from '../../../report/plan-sections.ts';

/** Most risks above the fold; the others are folded. */
const MOST_RISKS = 10;

export function printMarkdown({ message, plans, denied }: PlanReport): string {
  if (plans.length === 0) return `### Slipway plan: nothing changes\n\n${asCode(message)}\n`;
  const denials = denied.map(
    ({ rule, messages }) => `**Denied by ${rule}**\n\n${messages.map((one) => `- ${asCode(one)}\n`).join('')}`,
  );
  return [...denials, ...plans.map(printPlan)].join('\n');
}

function printPlan(plan: Plan): string {
  const { risk, hash, subscription } = plan;
  const shown = risk.reasons.filter(({ level }) => level !== 'low').slice(0, MOST_RISKS);
  const folded = risk.reasons.filter((reason) => !shown.includes(reason));
  const parts = [
    `### Slipway plan: ${asCode(titleOf(plan))}, risk ${risk.level}`,
    `For ${asCode(subscription)}. Objects: ${countObjects(plan)}. Way back: ${asCode(wayBackOf(plan))}.`,
    shown.map(({ level, message }) => `- **${level}**: ${asCode(message)}`).join('\n'),
    fold({
      title: shown.length === 0 ? 'Risks' : 'Further risks',
      lines: folded.map(({ level, message, reason }) => `${level}: ${message} (${reason})`),
    }),
    ...sectionsOf(plan).map(fold),
    `Plan ${asCode(hash)}`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** A section that a reader opens. The blank lines make Markdown of the content. */
function fold({ title, summary, lines }: Section): string {
  if (lines.length === 0) return '';
  return `<details><summary>${title}: ${summary ?? lines.length}</summary>\n\n${asBlock(lines)}\n\n</details>`;
}
