/** Reads the file of `bundle render --config`: what `spec.config` of a Subscription holds. */
import { OperatorConfig } from '../../../api/operator-config.ts';
import type { Environment } from '../environment.ts';
import { faultsOf } from './faults.ts';
import { readYamlFile } from './files.ts';
import { invalidInput } from '../../../api/invalid-input.ts';

/** @throws ReasonedError InputInvalid, with every field at fault */
export async function readConfigFile(environment: Pick<Environment, 'folder'>, path: string): Promise<OperatorConfig> {
  const written = (await readYamlFile(environment, path)) ?? {};
  const faults = faultsOf(OperatorConfig, written);
  if (faults.length === 0) return OperatorConfig.parse(written) as OperatorConfig;
  throw invalidInput(`${path}: ${faults.join('; ')}`, 'docs/api.md lists the fields of spec.config');
}
