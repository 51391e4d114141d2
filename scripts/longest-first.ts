/**
 * Starts the longest test first, so that it is not alone at the end. Vitest sorts by the durations of its last run, and
 * on a clean checkout by the size of the files, which is no measure for a story that waits.
 */
import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Served by a cluster that a process keeps from file to file: at the end, so that it is not kept for nothing. */
const KEEPS = /\buseCluster\((?:FOR_MANY_KINDS)?\)/;
/** A minute each in `make test`, and several in an exhaustive run. */
const LONGEST = named('guides|watchdog|broken-releases|adopt|adopt-by-manager|leave-olm|leave-olm-v1');
/** Of those that are served by the kept cluster, half a minute each: the last of them would be alone. */
const LONG = named(
  'own-kinds|bad-input|ways|signatures|wrong-ends|chaos|telling|trial|real-operators|compatibility|ownership|console|command-line|accounts|apply|crash|lagging-caches|late-writes|pipeline|dependencies',
);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const [longest, others] = split(usual, ({ moduleId }) => LONGEST.test(moduleId));
    const [keeping, alone] = split(others, ({ moduleId }) => KEEPS.test(readFileSync(moduleId, 'utf8')));
    return [...longest, ...alone, ...split(keeping, ({ moduleId }) => LONG.test(moduleId)).flat()];
  }
}

function named(names: string): RegExp {
  return new RegExp(`/(${names})(\\.long)?\\.cluster\\.test\\.ts$`);
}

/** Those that are so, and the others, each in their order. */
function split<T>(all: readonly T[], isSo: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(isSo), all.filter((one) => !isSo(one))];
}
