/**
 * Starts the longest test first, so that it is not alone at the end. Vitest sorts by the durations of its last run, and
 * on a clean checkout by the size of the files, which is no measure for a story that waits.
 */
import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Served by a cluster that a process keeps from file to file: at the end, so that it is not kept for nothing. */
const KEEPS = /\buseCluster\(\)/;
/** A minute each in `make test`, and several in an exhaustive run. */
const LONGEST = /\/(guides|watchdog|broken-releases|adopt|adopt-by-manager|leave-olm|leave-olm-v1)\.cluster\.test\.ts$/;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const [longest, others] = split(usual, ({ moduleId }) => LONGEST.test(moduleId));
    const [keeping, alone] = split(others, ({ moduleId }) => KEEPS.test(readFileSync(moduleId, 'utf8')));
    return [...longest, ...alone, ...keeping];
  }
}

/** Those that are so, and the others, each in their order. */
function split<T>(all: readonly T[], isSo: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(isSo), all.filter((one) => !isSo(one))];
}
