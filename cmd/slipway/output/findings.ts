/** What `bundle validate` and `catalog validate` share: how findings are counted, judged and printed. Pure. */
import type { ExitCode } from '../outcome.ts';
import { cleanLine } from './clean.ts';
import { count } from './table.ts';

export type Level = 'error' | 'warning';

export interface Strictness {
  /** Warnings count as findings for the exit code, too. */
  readonly strict?: boolean;
}

export interface Verdict {
  readonly counts: { readonly valid: boolean; readonly errors: number; readonly warnings: number };
  readonly exitCode: ExitCode;
}

/** Counts by level; findings that count give exit code 2. */
export function judge(findings: readonly { readonly level: Level }[], { strict = false }: Strictness): Verdict {
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

/** Two lines a finding, and one that counts them. */
export function printFindings(findings: readonly PrintedFinding[]): string {
  const errors = findings.filter(({ level }) => level === 'error').length;
  const total =
    findings.length === 0 ? 'No findings' : `${count(errors, 'error')}, ${count(findings.length - errors, 'warning')}`;
  return [...findings.map(printFinding), `${total}\n`].join('');
}

function printFinding({ level, rule, where, message, advice }: PrintedFinding): string {
  return `${level}: ${cleanLine([...where, message].join(': '))} (${rule})\n  ${cleanLine(advice)}\n`;
}
