/** `slipway catalog validate`: everything about a catalog that tools refuse, or that will surprise its users. */
import type { Environment } from '../environment.ts';
import { readCatalog } from '../input/catalog.ts';
import type { RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { judge, printFindings, type FindingsStyle, type Strictness } from '../output/findings.ts';
import { examineFiles, printed } from './examine.ts';

export interface CatalogValidateFlags extends RegistryFlags, Strictness, FindingsStyle {}

export async function validate(
  environment: Environment,
  source: string,
  flags: CatalogValidateFlags,
): Promise<Outcome> {
  const { files, digest } = await readCatalog(environment, source, flags);
  const findings = examineFiles(files);
  const { counts, exitCode } = judge(findings, flags);
  return {
    data: { source, ...(digest !== undefined && { digest }), ...counts, findings },
    text: printFindings(findings.map(printed), flags, environment),
    exitCode,
  };
}
