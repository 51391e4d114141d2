/** Flags and environment of the programs in a cluster: flags win over the environment, the environment over defaults. */
import { parseArgs } from 'node:util';
import { ReasonedError } from '../../api/errors.ts';

export interface OptionFacts {
  readonly env?: string;
  readonly help: string;
}

/** Every option of a program, by the name of its flag. */
export type OptionTable = Readonly<Record<string, OptionFacts>>;

/** The flags that are given. @throws ReasonedError InvalidConfiguration, not retried */
export function readFlags(
  program: string,
  table: OptionTable,
  args: readonly string[],
): Readonly<Record<string, string | undefined>> {
  const options = Object.fromEntries(Object.keys(table).map((name) => [name, { type: 'string' as const }]));
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    throw invalidOptions(program, (error as Error).message);
  }
}

/** The values of flags and environment; an empty variable counts as absent. */
export function valuesOf(
  table: OptionTable,
  flags: Readonly<Record<string, string | undefined>>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(table).map(([name, facts]) => [
      name,
      flags[name] ?? (facts.env === undefined ? undefined : env[facts.env] || undefined),
    ]),
  );
}

/** One line an option, for `--help`. */
export function describeTable(table: OptionTable): string {
  return Object.entries(table)
    .map(([name, { help, env }]) => `  --${name.padEnd(31)} ${help} (${env})`)
    .join('\n');
}

/** The parts of a value that commas separate, without blanks around them. */
export function listOption(text: string): readonly string[] {
  return text.split(',').map((part) => part.trim()).filter((part) => part !== ''); // prettier-ignore
}

export function invalidOptions(program: string, message: string): ReasonedError {
  return new ReasonedError({
    reason: 'InvalidConfiguration',
    retry: 'never',
    message,
    hint: `${program} --help lists every option`,
  });
}
