/** `slipway catalog lint`: the versions of a catalog whose users are stranded, and images whose content can change. */
import type { CatalogIndex } from '../../../catalog/index/open.ts';
import { lintPackage, type LintFinding } from '../../../resolver/lint.ts';
import type { Environment } from '../environment.ts';
import { readCatalog } from '../input/catalog.ts';
import { withIndexes } from '../input/index.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { judge, printFindings, type FindingsStyle, type Strictness } from '../output/findings.ts';

export interface LintFlags extends RegistryFlags, Strictness, FindingsStyle {
  readonly package?: string;
}

/** The format is not checked: `catalog validate` does that. */
export async function lint(environment: Environment, source: string, flags: LintFlags): Promise<Outcome> {
  const { files, digest } = await readCatalog(environment, source, flags);
  const findings = await withIndexes(environment, [files], ([index]) => lintIndex(index!, flags.package));
  const { counts, exitCode } = judge(findings, flags);
  const printed = findings.map(({ level, rule, package: packageName, channel, bundle, message, advice }) => ({
    level,
    rule,
    where: [channel === undefined ? packageName : `${packageName}, channel ${JSON.stringify(channel)}`, bundle],
    message,
    advice,
  }));
  return {
    data: { source, ...(digest !== undefined && { digest }), ...counts, findings },
    text: printFindings(printed, flags, environment),
    exitCode,
  };
}

function lintIndex(index: CatalogIndex, only: string | undefined): readonly LintFinding[] {
  const names = index.packages().map(({ name }) => name);
  if (only !== undefined && !names.includes(only)) {
    throw invalidInput(`the catalog has no package ${JSON.stringify(only)}`, 'Leave --package out to check all');
  }
  return names
    .filter((name) => only === undefined || name === only)
    .flatMap((name) => {
      const content = index.package(name);
      return content === undefined ? [] : lintPackage(content);
    });
}
