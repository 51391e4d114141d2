/** `slipway plan`: gathers the input, has it planned, and prints the plans as text, data or Markdown. */
import { denialsOf, type Denial } from '../../../plan/deny.ts';
import type { Plan } from '../../../plan/model.ts';
import { planChange } from '../../../plan/plan.ts';
import type { Environment } from '../environment.ts';
import type { Outcome } from '../outcome.ts';
import { isOffline, type PlanFlags } from './flags.ts';
import { printMarkdown } from './markdown.ts';
import type { Planned } from './planned.ts';
import type { PlanReport } from './report.ts';
import { printText } from './text.ts';

export async function plan(environment: Environment, subject: string | undefined, flags: PlanFlags): Promise<Outcome> {
  const { inputs, ...about } = await gather(environment, subject, flags);
  const plans = inputs.map(planChange);
  const report: PlanReport = { ...about, plans, denied: joinDenials(plans, flags) };
  return {
    data: report,
    text: flags.output === 'markdown' ? printMarkdown(report) : printText(report),
    exitCode: report.denied.length > 0 ? 2 : 0,
  };
}

async function gather(environment: Environment, subject: string | undefined, flags: PlanFlags): Promise<Planned> {
  if (isOffline(flags, subject)) return (await import('./offline.ts')).planOffline(environment, flags);
  return (await import('./cluster.ts')).planFromCluster(environment, subject ?? '', flags);
}

/** Each rule once, with the facts of all steps. */
function joinDenials(plans: readonly Plan[], { deny = [] }: PlanFlags): readonly Denial[] {
  const all = Map.groupBy(
    plans.flatMap((one) => denialsOf(one, deny)),
    ({ rule }) => rule,
  );
  return [...all].map(([rule, hits]) => ({ rule, messages: [...new Set(hits.flatMap(({ messages }) => messages))] }));
}
