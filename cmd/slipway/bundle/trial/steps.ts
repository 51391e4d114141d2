/** Runs the steps of a test one after another: after a failure the others are skipped. */
import { ReasonedError } from '../../../../api/errors.ts';
import type { TestResult } from './report.ts';
import { SampleFailure } from './samples.ts';
import { TrialFailure } from './scene.ts';

/** A step that was not run, and why. */
export class Skipped extends Error {}

export interface TestStep {
  readonly step: string;
  /** @throws TrialFailure, SampleFailure or ReasonedError if it fails; Skipped if there is nothing to do */
  readonly run: () => Promise<void>;
}

/** Runs the steps; calls `note` before each. @throws every error that is no failure of a step, such as an interruption */
export async function runSteps(
  steps: readonly TestStep[],
  { signal, note }: { readonly signal: AbortSignal; readonly note: (step: string) => void },
): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  for (const { step, run } of steps) {
    const failed = results.find(({ result }) => result === 'failed');
    if (failed !== undefined) {
      results.push({ step, result: 'skipped', seconds: 0, message: `since this failed: ${failed.step}` });
      continue;
    }
    note(step);
    results.push(await runStep(step, run, signal));
  }
  return results;
}

async function runStep(step: string, run: () => Promise<void>, signal: AbortSignal): Promise<TestResult> {
  const started = performance.now();
  const ended = (result: TestResult['result'], message: string): TestResult => ({
    step,
    result,
    seconds: (performance.now() - started) / 1000,
    message,
  });
  try {
    await run();
    return ended('passed', '');
  } catch (error) {
    if (error instanceof Skipped) return ended('skipped', error.message);
    const isFailure = [TrialFailure, SampleFailure, ReasonedError].some((kind) => error instanceof kind);
    if (!isFailure || signal.aborted) throw error;
    return ended('failed', (error as Error).message);
  }
}
