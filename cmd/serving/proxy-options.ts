/** Options that name a proxy, for both programs. Clusters set their variables for all Pods. Pure. */
import * as z from 'zod';
import { proxyAddress } from '../../oci/proxy.ts';
import type { OptionTable } from './option-values.ts';

/** Becomes the address in the form that Node's agents accept. */
export function proxyOption() {
  return z
    .string()
    .transform((text, context) => {
      const address = proxyAddress(text);
      if (address !== undefined) return address;
      context.addIssue({ code: 'custom', message: 'must be the address of a proxy: http://host:port' });
      return z.NEVER;
    })
    .optional();
}

export interface GivenOptions {
  readonly table: OptionTable;
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The options among `names` whose variables lead to a proxy of another protocol: that must not keep a program from starting. A flag
 * is meant for the program, and wins.
 */
export function unusableProxies<Name extends string>(
  names: readonly Name[],
  { table, flags, env }: GivenOptions,
): readonly Name[] {
  return names.filter((name) => flags[name] === undefined && isUnusable(env[table[name]?.env ?? '']));
}

function isUnusable(text: string | undefined): boolean {
  return text !== undefined && text !== '' && proxyAddress(text) === undefined;
}

/** Without the value, which may have a password. @param reached `registries are` */
export function describeIgnored(variable: string, reached: string): string {
  return `${variable} is ignored, since it is no address of a proxy over HTTP or TLS, and ${reached} reached without one: set it to http://host:port, or unset it`;
}
