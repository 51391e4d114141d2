/** Has the author's helm render a chart, twice: with another day and hour, and with other random values. */
import { setTimeout as delay } from 'node:timers/promises';
import { readSource, takeChart, type ChartObjects } from '../../../bundles/author/compose.ts';
import type { Environment } from '../environment.ts';
import { runProgram } from './program.ts';

export interface ChartFlags {
  /** Files with values. */
  readonly values?: readonly string[];
  /** `key=value` */
  readonly set?: readonly string[];
  readonly chartVersion?: string;
  readonly leaveOut?: readonly string[];
}

/** No place is in both at the same hour or day. */
const ZONES = ['Etc/GMT+12', 'Etc/GMT-14'] as const;

/** @throws ReasonedError InputInvalid if helm is missing or fails, or the chart cannot become a bundle */
export async function readChart(
  environment: Environment,
  { chart, release }: { readonly chart: string; readonly release: string },
  flags: ChartFlags,
): Promise<ChartObjects> {
  const render = async (zone: string): Promise<ReturnType<typeof readSource>> => {
    const output = await runProgram(environment, {
      program: 'helm',
      args: ['template', release, chart, '--namespace', release, '--include-crds', ...argsOf(flags)],
      variables: { TZ: zone },
      ifMissing: 'Install helm, or pipe its output: helm template … | slipway bundle init … --from -',
    });
    return readSource(new Map([[`helm template ${chart}`, output]]));
  };
  const first = await render(ZONES[0]);
  await delay(1000 - (Date.now() % 1000), undefined, { signal: environment.signal }); // the clock shows another second
  return takeChart(first, await render(ZONES[1]), flags.leaveOut);
}

function argsOf({ values = [], set = [], chartVersion }: ChartFlags): readonly string[] {
  return [
    ...values.flatMap((file) => ['--values', file]),
    ...set.flatMap((text) => ['--set', text]),
    ...(chartVersion === undefined ? [] : ['--version', chartVersion]),
  ];
}
