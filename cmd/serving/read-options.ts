/** Reads the options of a program in a cluster: gather its flags and variables, leave out unusable proxies, check all values. Pure. */
import type * as z from 'zod';
import { invalidOptions, readFlags, valuesOf, type OptionTable } from './option-values.ts';
import { describeIgnored, unusableProxies } from './proxy-options.ts';

export interface ProgramOptions<Table extends OptionTable, Schema extends z.ZodType> {
  /** The name of the program, for messages. */
  readonly program: string;
  readonly table: Table;
  /** Has the names of the table. */
  readonly schema: Schema;
  /** The options that name proxies; they have variables. */
  readonly proxies: readonly (keyof Table & string)[];
  /** The hosts behind them, with a verb: `registries are`. */
  readonly reached: string;
}

/** The command line and the environment of a process. */
export interface GivenTexts {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ReadValues<Schema extends z.ZodType> {
  readonly options: z.infer<Schema>;
  /** Variables that were ignored, each with its reason and remedy, for the log. */
  readonly ignored: readonly string[];
}

/** @throws ReasonedError InvalidConfiguration, not retried, with every value at fault */
export function readOptions<Table extends OptionTable, Schema extends z.ZodType>(
  { program, table, schema, proxies, reached }: ProgramOptions<Table, Schema>,
  { args, env }: GivenTexts,
): ReadValues<Schema> {
  const flags = readFlags(program, table, args);
  const unusable = unusableProxies(proxies, { table, flags, env });
  const values = valuesOf(table, flags, env);
  for (const name of unusable) delete values[name];
  const { success, data, error } = schema.safeParse(values);
  if (success)
    return { options: data, ignored: unusable.map((name) => describeIgnored(table[name]?.env ?? name, reached)) };
  throw invalidOptions(program, error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`).join('; '));
}
