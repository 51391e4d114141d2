/** Reads the file of `bundle render --config`: what `spec.config` of a Subscription holds. */
import { OperatorConfig } from '../../../api/operator-config.ts';
import type { Environment } from '../environment.ts';
import { readYamlFile } from './files.ts';
import { invalidInput } from './invalid.ts';

/** @throws ReasonedError InputInvalid, with every field at fault */
export async function readConfigFile(environment: Pick<Environment, 'folder'>, path: string): Promise<OperatorConfig> {
  const written = (await readYamlFile(environment, path)) ?? {};
  const result = OperatorConfig.safeParse(written);
  const faults = result.success
    ? unknownFields(written, result.data, '').map((field) => `${field} is no field`)
    : result.error.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`);
  if (result.success && faults.length === 0) return result.data as OperatorConfig;
  throw invalidInput(`${path}: ${faults.join('; ')}`, 'docs/api.md lists the fields of spec.config');
}

/** Parsing leaves out what the schema does not have, which is how a misspelt field shows. */
function unknownFields(written: unknown, parsed: unknown, path: string): readonly string[] {
  if (typeof written !== 'object' || written === null) return [];
  return Object.entries(written).flatMap(([name, value]) => {
    const here = path === '' ? name : `${path}.${name}`;
    const kept = Object.hasOwn(parsed as object, name) ? (parsed as Record<string, unknown>)[name] : undefined;
    return kept === undefined ? [here] : unknownFields(value, kept, here);
  });
}
