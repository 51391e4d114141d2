/**
 * Starts the longest test first, so that it is not alone at the end. Vitest sorts by the durations of its last run, and
 * on a clean checkout by the size of the files, which is no measure for a story that waits.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Waits for most of four minutes, and takes little of the processors that others need meanwhile. */
const LONGEST = /\/broken-releases\.cluster\.test\.ts$/;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification): boolean => LONGEST.test(moduleId);
    return [...usual.filter(isLongest), ...usual.filter((file) => !isLongest(file))];
  }
}
