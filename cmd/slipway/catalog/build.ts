/** `slipway catalog build`: a file-based catalog out of templates and bundles, one folder a package. */
import { formatJson } from '../../../api/json.ts';
import type { CatalogDocument } from '../../../catalog/templates/template.ts';
import type { Environment } from '../environment.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import { targetFolder } from '../input/place.ts';
import type { Outcome } from '../outcome.ts';
import { judge, printFindings } from '../output/findings.ts';
import { writeFiles } from '../output/write-files.ts';
import { count } from '../../../report/count.ts';
import { examineFiles, printed } from './examine.ts';
import { expandSources, type SourceFlags } from './sources.ts';

export interface CatalogBuildFlags extends SourceFlags {
  /** False: write it whatever is wrong with it. */
  readonly check?: boolean;
}

/** Each package gets a file, which replaces an existing one. No file is written if the catalog has errors. */
export async function build(
  environment: Environment,
  folder: string,
  sources: readonly string[],
  flags: CatalogBuildFlags,
): Promise<Outcome> {
  const target = targetFolder(environment, folder);
  const files = toFiles(await expandSources(environment, sources, flags));
  const findings = flags.check === false ? [] : examineFiles(files);
  const { counts, exitCode } = judge(findings, {});
  if (exitCode === 0) await writeFiles(target, files);
  const written = exitCode === 0 ? [...files.keys()] : [];
  return {
    data: { folder, files: written, ...counts, findings },
    text: `${findings.length === 0 ? '' : printFindings(findings.map(printed), {}, environment)}${summary(folder, written)}`,
    exitCode,
  };
}

function summary(folder: string, written: readonly string[]): string {
  return written.length === 0 ? 'Nothing is written\n' : `Wrote ${count(written.length, 'file')} to ${folder}\n`;
}

/** `<package>/catalog.json`; what belongs to no package is at the top. */
function toFiles(documents: readonly CatalogDocument[]): ReadonlyMap<string, Uint8Array> {
  const groups = Map.groupBy(documents, packageOf);
  return new Map(
    [...groups].map(([name, group]) => [
      name === '' ? 'catalog.json' : `${name}/catalog.json`,
      Buffer.from(group.map((document) => `${formatJson(document, 2)}\n`).join('')),
    ]),
  );
}

function packageOf({ schema, name, package: packageName }: CatalogDocument): string {
  const owner = (schema === 'olm.package' ? name : packageName) ?? '';
  if (owner === '') return '';
  if (typeof owner === 'string' && PACKAGE_NAME.test(owner)) return owner;
  throw invalidInput(
    `${JSON.stringify(owner)} cannot be the name of a package`,
    'Use lower-case letters, digits, "-" and "."',
  );
}

const PACKAGE_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
