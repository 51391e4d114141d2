/** Counts, judges and prints the findings of `bundle validate` and `catalog validate`. Pure. */
import type { Environment } from '../environment.ts';
import type { ExitCode } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';
import { createPainter, wantsColours, type ColourChoice, type Painter } from './colours.ts';
import { count } from '../../../report/count.ts';

export type Level = 'error' | 'warning';

export interface Strictness {
  /** Warnings count as findings for the exit code, too. */
  readonly strict?: boolean;
}

export interface FindingsVerdict {
  readonly counts: { readonly valid: boolean; readonly errors: number; readonly warnings: number };
  readonly exitCode: ExitCode;
}

/** Counts by level; findings that count give exit code 2. */
export function judge(findings: readonly { readonly level: Level }[], { strict = false }: Strictness): FindingsVerdict {
  const errors = findings.filter(({ level }) => level === 'error').length;
  const warnings = findings.length - errors;
  return {
    counts: { valid: errors === 0, errors, warnings },
    exitCode: errors > 0 || (strict && warnings > 0) ? 2 : 0,
  };
}

export interface PrintedFinding {
  readonly level: Level;
  readonly rule: string;
  /** File, object, path: as much as is known. */
  readonly where: readonly string[];
  readonly message: string;
  readonly advice: string;
}

/** How findings are printed. */
export interface FindingsStyle {
  /** `--color` */
  readonly color?: ColourChoice;
}

/** Errors first, then warnings, two lines each, and one line at the end that counts them. */
export function printFindings(
  findings: readonly PrintedFinding[],
  { color }: FindingsStyle,
  { variables, columns }: Pick<Environment, 'variables' | 'columns'>,
): string {
  const paint = createPainter(
    wantsColours({ ...(color !== undefined && { choice: color }), variables, isTerminal: columns !== undefined }),
  );
  const errors = findings.filter(({ level }) => level === 'error');
  const warnings = findings.filter(({ level }) => level === 'warning');
  const groups = [errors, warnings].map((group) => group.map((finding) => printFinding(finding, paint)).join(''));
  const isMixed = groups.every((group) => group !== '');
  return [...groups, total(errors.length, warnings.length, paint)].join(isMixed ? '\n' : '');
}

function printFinding({ level, rule, where, message, advice }: PrintedFinding, paint: Painter): string {
  const text = cleanLine([...where, message].join(': '));
  return `${paint(COLOURS[level], `${level}:`)} ${text} ${paint('faint', `(${rule})`)}\n  ${cleanLine(advice)}\n`;
}

const COLOURS = { error: 'red', warning: 'yellow' } as const;

function total(errors: number, warnings: number, paint: Painter): string {
  if (errors + warnings === 0) return 'No findings\n';
  return `${paintCount(errors, 'error', paint)}, ${paintCount(warnings, 'warning', paint)}\n`;
}

function paintCount(number: number, level: Level, paint: Painter): string {
  return number === 0 ? count(0, level) : paint(COLOURS[level], count(number, level));
}
