/**
 * Carries out an edit of a catalog in a folder, for `catalog add`, `remove` and `promote`: reads the files, has the edit
 * decided, checks that it breaks nothing, and writes the files that change.
 */
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { packageDocuments, readDocumentFiles, type PackageDocuments } from '../../../../catalog/author/documents.ts';
import { editFiles, isIdle, type CatalogEdit } from '../../../../catalog/author/edit.ts';
import type { PackageDiff } from '../../../../catalog/author/diff.ts';
import { DEFAULT_LIMITS } from '../../../../catalog/limits.ts';
import { lintPackage } from '../../../../resolver/lint.ts';
import type { Environment } from '../../environment.ts';
import { readOneFile, readTree } from '../../input/files.ts';
import { withIndexes } from '../../input/index.ts';
import { invalidInput } from '../../../../api/invalid-input.ts';
import type { Outcome } from '../../outcome.ts';
import { cleanLine } from '../../../../report/clean.ts';
import { formatYaml } from '../../../../report/data.ts';
import { judge, printFindings, type FindingsStyle, type Level, type PrintedFinding } from '../../output/findings.ts';
import { writeFiles } from '../../output/write-files.ts';
import { diffFiles } from '../diff.ts';
import { diffText } from '../diff-words.ts';
import { examineFiles, printed } from '../examine.ts';

export interface EditFlags extends FindingsStyle {
  readonly dryRun?: boolean;
  /** False: write it whatever is wrong with it. */
  readonly check?: boolean;
}

export interface EditTask {
  /** The folder or the file of the catalog, as it was named. */
  readonly folder: string;
  readonly package: string;
  /** Decides about the edit; throws if it is refused. */
  readonly decide: (documents: PackageDocuments) => CatalogEdit;
  /** The text if all of it is there. */
  readonly idle: string;
}

type FileMap = ReadonlyMap<string, Uint8Array>;

/**
 * Writes nothing if the edit would bring an error that the catalog does not have yet: exit code 2. @throws ReasonedError
 * InputInvalid, CatalogInvalid
 */
export async function carryOut(environment: Environment, task: EditTask, flags: EditFlags): Promise<Outcome> {
  const place = await readEditable(environment, task.folder);
  const documents = readDocumentFiles(place.files);
  const edit = task.decide(packageDocuments(documents, task.package));
  const about = { folder: task.folder, package: task.package };
  if (isIdle(edit))
    return {
      data: { ...about, files: [], packages: [], ...judge([], {}).counts, findings: [] },
      text: `${task.idle}\n`,
    };
  const edited = editFiles(documents, edit, (value) => formatYaml([value]).replace(/^---\n/, ''));
  if (!edited.ok)
    throw invalidInput(
      `document ${edited.document.ordinal} of ${edited.document.path} has a layout that cannot be edited in place`,
      'Write it without anchors, tags and repeated keys, or edit it by hand',
    );
  const after = withChanges(place.files, edited.files);
  const packages = await diffFiles(environment, place.files, after);
  const findings = flags.check === false ? [] : await newFindings(environment, place.files, after);
  const { counts, exitCode } = judge(findings, {});
  const isWritten = exitCode === 0 && flags.dryRun !== true;
  if (isWritten) await writeFiles(place.root, edited.files);
  return {
    data: { ...about, files: filesOf(place.files, edited.files), packages, written: isWritten, ...counts, findings },
    text: describe(environment, { flags, findings, packages, isWritten, files: edited.files }),
    exitCode,
  };
}

interface EditablePlace {
  readonly root: string;
  readonly files: FileMap;
}

/** A folder, which may be new, or one file; of a link that is named itself, the file that it leads to. */
async function readEditable(environment: Environment, folder: string): Promise<EditablePlace> {
  if (folder === '') throw invalidInput('the name of the folder is empty');
  const named = resolve(environment.folder, folder);
  const path = await realpath(named).catch(() => named);
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true)
    return { root: dirname(path), files: new Map([[basename(path), await readOneFile(environment, path)]]) };
  const limits = { maxFiles: DEFAULT_LIMITS.maxFiles, maxBytes: DEFAULT_LIMITS.maxTotalBytes };
  return { root: path, files: await readTree(path, limits) };
}

type EditedFiles = ReadonlyMap<string, string | undefined>;

function withChanges(files: FileMap, edited: EditedFiles): FileMap {
  const result = new Map(files);
  for (const [path, text] of edited) {
    if (text === undefined) result.delete(path);
    else result.set(path, Buffer.from(text));
  }
  return result;
}

function filesOf(before: FileMap, edited: EditedFiles): readonly { readonly path: string; readonly change: string }[] {
  return [...edited].map(([path, text]) => ({
    path,
    change: text === undefined ? 'removed' : before.has(path) ? 'changed' : 'created',
  }));
}

interface EditFinding {
  readonly level: Level;
  readonly check: string;
  readonly message: string;
  readonly advice: string;
  readonly printed: PrintedFinding;
}

/** The findings of both checks that the catalog did not have before. */
async function newFindings(environment: Environment, before: FileMap, after: FileMap): Promise<readonly EditFinding[]> {
  const known = new Set((await findingsOf(environment, before)).map(keyOf));
  return (await findingsOf(environment, after)).filter((finding) => !known.has(keyOf(finding)));
}

function keyOf({ check, message, printed: { where } }: EditFinding): string {
  return JSON.stringify([check, message, where.map((part) => part.replace(/, document \d+$/, ''))]);
}

async function findingsOf(environment: Environment, files: FileMap): Promise<readonly EditFinding[]> {
  if (files.size === 0) return [];
  const form = examineFiles(files).map((finding) => ({ ...finding, printed: printed(finding) }));
  if (form.some(({ check }) => check === 'Readable')) return form;
  const graph = await withIndexes(environment, [files], ([index]) =>
    (index?.packages() ?? []).flatMap(({ name }) => {
      const content = index?.package(name);
      return content === undefined ? [] : lintPackage(content);
    }),
  );
  const lint = graph.map(({ level, rule, package: packageName, channel, bundle, message, advice }) => {
    const where = [channel === undefined ? packageName : `${packageName}, channel ${JSON.stringify(channel)}`, bundle];
    return { level, check: rule, message, advice, printed: { level, rule, where, message, advice } };
  });
  return [...form, ...lint];
}

interface Described {
  readonly flags: EditFlags;
  readonly findings: readonly EditFinding[];
  readonly packages: readonly PackageDiff[];
  readonly isWritten: boolean;
  readonly files: EditedFiles;
}

function describe(environment: Environment, { flags, findings, packages, isWritten, files }: Described): string {
  const list =
    findings.length === 0
      ? ''
      : printFindings(
          findings.map((one) => one.printed),
          flags,
          environment,
        );
  const outcome = isWritten || flags.dryRun === true ? outcomeOf(files, isWritten) : 'Nothing is written\n';
  return `${diffText(packages)}${list}${outcome}`;
}

function outcomeOf(files: EditedFiles, isWritten: boolean): string {
  const [kept, removed] = [true, false].map((isKept) =>
    [...files].filter(([, text]) => (text !== undefined) === isKept),
  );
  const line = (words: string, some: typeof kept = []): string =>
    some.length === 0 ? '' : `${words} ${some.map(([path]) => cleanLine(path)).join(', ')}\n`;
  return `${line(isWritten ? 'Wrote' : 'Would write', kept)}${line(isWritten ? 'Removed' : 'Would remove', removed)}`;
}
