/** Prints the outcome of `bundle init`: the place of every object, the findings, and the files. Pure. */
import type { AuthorCheck, Placement } from '../../../bundles/author/compose.ts';
import type { Environment } from '../environment.ts';
import { printFindings, type FindingsStyle, type Level } from '../output/findings.ts';
import { formatTable } from '../output/table.ts';
import { count } from '../../../report/count.ts';
import type { FileChange } from './init-files.ts';

/** A finding about the source, or of a check of the new bundle. */
export interface InitFinding {
  readonly level: Level;
  readonly check: AuthorCheck | (string & {});
  readonly object: string;
  readonly message: string;
  readonly advice: string;
}

export interface InitFacts {
  readonly folder: string;
  readonly name: string;
  readonly installModes: readonly string[];
  readonly files: readonly { readonly path: string; readonly change: FileChange }[];
  readonly placements: readonly Placement[];
  readonly findings: readonly InitFinding[];
  /** Nothing was written. */
  readonly isDry: boolean;
}

export function describeInit(
  { folder, name, installModes, files, placements, findings, isDry }: InitFacts,
  style: FindingsStyle,
  environment: Pick<Environment, 'variables' | 'columns'>,
): string {
  const rows = placements.map((placement) => [placement.object, placeOf(placement), placement.notes.join('; ')]);
  const printed = findings.map(({ level, check, object, message, advice }) => ({
    level,
    rule: check,
    where: [object],
    message,
    advice,
  }));
  return [
    formatTable(['OBJECT', 'PLACE', 'NOTE'], rows, environment.columns),
    findings.length === 0 ? '' : `\n${printFindings(printed, style, environment)}`,
    `\n${name}, for ${installModes.join(' and ')}: ${isDry ? 'would write to' : 'wrote to'} ${folder} ${countChanges(files)}\n`,
  ].join('');
}

function placeOf({ places, field = '' }: Placement): string {
  const names = places.map((place) => (place === 'csv' ? `CSV ${field}` : 'manifests/'));
  return names.length === 0 ? 'left out' : names.join(', ');
}

/** `3 files: 2 created, 1 unchanged` */
function countChanges(files: InitFacts['files']): string {
  const groups = [...Map.groupBy(files, ({ change }) => change)].map(([change, some]) => `${some.length} ${change}`);
  return `${count(files.length, 'file')}: ${groups.join(', ')}`;
}
