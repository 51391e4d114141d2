/** Renders docs/settings.md from the tables of options of the manager and the console. Pure; generate.ts writes the page. */
import * as z from 'zod';
import { OPTIONS as CONSOLE, Options as ConsoleOptions } from '../cmd/console/options.ts';
import { OPTIONS as MANAGER, Options as ManagerOptions } from '../cmd/manager/options.ts';
import type { OptionTable } from '../cmd/serving/option-values.ts';
import { markdownTable } from './field-table.ts';

/** docs/settings.md, complete. */
export function renderSettingsDocs(): string {
  const parts = [
    '# Settings of the manager and the console',
    INTRODUCTION,
    '## The manager',
    tableOf(MANAGER, ManagerOptions),
    '## The console',
    tableOf(CONSOLE, ConsoleOptions),
  ];
  return `${parts.join('\n\n')}\n`;
}

const INTRODUCTION = `Each setting is a flag or a variable of the environment. The flag wins; a variable that is empty counts as absent. With Helm the
variables of the manager are \`env\` in the values, and those of the console \`console.settings\`: [install
Slipway](how-to/install-slipway.md), [run the console](how-to/run-the-console.md).

Helm refuses some variables in \`env\`, since the chart sets them itself: \`POD_NAME\`, \`POD_NAMESPACE\`, and those that have values of
their own, which are \`logLevel\` (\`SLIPWAY_LOG_LEVEL\`), \`plainHttp\` (\`SLIPWAY_PLAIN_HTTP\`) and \`catalogAuth\`
(\`SLIPWAY_CATALOG_AUTH\`). It refuses \`SLIPWAY_LEADER_ELECT\` too: in a cluster replicas always elect a leader.`;

/** A value as an administrator writes it. */
interface Value {
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

function tableOf(table: OptionTable, schema: z.ZodObject): string {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' });
  const rows = Object.entries(table).map(([name, { env = '', help }]) => {
    const value = properties[name] as Value;
    const preset = value.default ?? schema.shape[name]?.safeParse(undefined).data;
    return [asCode(`--${name}`), asCode(env), describePreset(preset), boundsOf(value), help];
  });
  return markdownTable(['flag', 'variable', 'default', 'values', 'meaning'], rows);
}

/** The number of this process, which a default may contain, differs each time. */
function describePreset(preset: unknown): string {
  const isWritten = ['string', 'number', 'boolean'].includes(typeof preset) && preset !== '';
  return isWritten ? asCode(String(preset).replace(String(process.pid), 'PID')) : '';
}

function boundsOf({ enum: names, minimum, maximum }: Value): string {
  if (names !== undefined) return names.map(asCode).join(', ');
  return minimum === undefined || maximum === undefined ? '' : `${minimum} … ${maximum}`;
}

function asCode(text: string): string {
  return `\`${text}\``;
}
