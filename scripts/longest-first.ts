/**
 * Starts the longest test first, so that it is not alone at the end. Vitest sorts by the durations of its last run, and
 * on a clean checkout by the size of the files, which is no measure for a story that waits.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A minute each in `make test`, and several in an exhaustive run. */
const LONGEST = /\/(guides|watchdog|broken-releases|adopt|adopt-by-manager|leave-olm|leave-olm-v1)\.cluster\.test\.ts$/;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification): boolean => LONGEST.test(moduleId);
    return [...usual.filter(isLongest), ...usual.filter((file) => !isLongest(file))];
  }
}
