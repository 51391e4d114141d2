/** Judges the files or documents of a catalog, for every command that checks a catalog before it continues. Pure. */
import { ReasonedError } from '../../../api/errors.ts';
import { createCatalogChecker } from '../../../catalog/check/check.ts';
import type { CatalogFinding } from '../../../catalog/check/finding.ts';
import { DEFAULT_LIMITS } from '../../../catalog/limits.ts';
import { parseDocuments, wholeValue } from '../../../catalog/stream.ts';
import { catalogFilesOf } from '../../../catalog/tree.ts';
import type { Level, PrintedFinding } from '../output/findings.ts';
import { versionRules } from '../../../resolver/version-rules.ts';

/** A finding as `-o json` has it. */
export interface FileFinding {
  readonly level: Level;
  readonly check: string;
  readonly package?: string;
  readonly file?: string;
  /** Position in the file, from 1. */
  readonly document?: number;
  readonly message: string;
  readonly advice: string;
}

/** All findings; a file that cannot be read is one, and the part of the file behind its defect is not read. */
export function examineFiles(files: ReadonlyMap<string, Uint8Array>): readonly FileFinding[] {
  const checker = createCatalogChecker(versionRules);
  const unreadable: FileFinding[] = [];
  for (const { path, content } of catalogFilesOf(files)) {
    try {
      for (const document of parseDocuments(path, content, DEFAULT_LIMITS)) {
        checker.add(wholeValue(document), { path, document: document.ordinal });
      }
    } catch (error) {
      if (!(error instanceof ReasonedError) || error.reason !== 'CatalogInvalid') throw error;
      unreadable.push({
        level: 'error',
        check: 'Readable',
        file: path,
        message: error.message,
        advice: error.hint ?? 'Correct the file',
      });
    }
  }
  const found = checker.finish().filter(({ rule }) => rule !== 'NoPackages' || unreadable.length === 0);
  return [...unreadable, ...found.map(toFinding)];
}

function toFinding({ severity, rule, package: packageName, message, advice, place }: CatalogFinding): FileFinding {
  return {
    level: severity,
    check: rule,
    ...(packageName !== undefined && { package: packageName }),
    ...(place !== undefined && { file: place.path }),
    ...(place?.document !== undefined && { document: place.document }),
    message,
    advice,
  };
}

/** A finding as people read it. */
export function printed({ level, check, file, document, message, advice }: FileFinding): PrintedFinding {
  const where = file === undefined ? [] : [document === undefined ? file : `${file}, document ${document}`];
  return { level, rule: check, where: message.includes(file ?? '\0') ? [] : where, message, advice };
}
