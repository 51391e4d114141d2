/** The steps of a trial as a table and as JUnit, which CI systems show. Pure. */
import { cleanLine } from '../../../../report/clean.ts';
import { formatTable } from '../../output/table.ts';

export interface TestResult {
  readonly step: string;
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly seconds: number;
  /** The cause of a failure, or why the step is skipped. */
  readonly message: string;
}

export function stepTable(results: readonly TestResult[], columns: number | undefined): string {
  const rows = results.map(({ step, result, seconds, message }) => [step, result, `${seconds.toFixed(1)} s`, message]);
  return formatTable(['STEP', 'RESULT', 'TIME', 'MESSAGE'], rows, columns);
}

/** One suite, with a case for each step. */
export function junit(name: string, results: readonly TestResult[]): string {
  const count = (result: TestResult['result']): number => results.filter((one) => one.result === result).length;
  const seconds = results.reduce((sum, one) => sum + one.seconds, 0);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name=${quote(name)} tests="${results.length}" failures="${count('failed')}" skipped="${count('skipped')}" time="${seconds.toFixed(3)}">`,
    ...results.map((one) => `  ${caseOf(name, one)}`),
    '</testsuite>',
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function caseOf(suite: string, { step, result, seconds, message }: TestResult): string {
  const head = `<testcase classname=${quote(suite)} name=${quote(step)} time="${seconds.toFixed(3)}"`;
  if (result === 'passed') return `${head}/>`;
  return `${head}><${result === 'failed' ? 'failure' : 'skipped'} message=${quote(message)}/></testcase>`;
}

function quote(text: string): string {
  return `"${cleanLine(text).replaceAll(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`)}"`;
}
