/**
 * Begins the tests that take longest first, so that none of them is alone at the end. Vitest does so by what it remembers
 * of the last run, and on a clean checkout by the size of the files, which says nothing about a story that waits.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds on two processors, of what takes a minute and more; what is wrong here costs time and nothing else. */
const SECONDS: ReadonlyMap<string, number> = new Map([
  ['broken-releases.cluster', 240],
  ['own-life.cluster', 155],
  ['dev-set.cluster', 145],
  ['rights-singly.cluster', 130],
  ['bad-input.cluster', 120],
  ['failover.cluster', 115],
  ['in-cluster.cluster', 95],
  ['render.conformance', 95],
  ['private-registry.cluster', 90],
  ['crash.cluster', 85],
  ['blob.conformance', 80],
  ['standstill.cluster', 75],
  ['image.cluster', 70],
  ['plan.oracle.conformance', 70],
  ['real-node.cluster', 70],
]);
const OTHERS: ReadonlyMap<string, number> = new Map([
  ['cluster', 30],
  ['conformance', 15],
]);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    return usual.toSorted((a, b) => secondsOf(b) - secondsOf(a));
  }
}

function secondsOf({ moduleId, project }: TestSpecification): number {
  const name =
    moduleId
      .split('/')
      .at(-1)
      ?.replace(/\.test\.ts$/, '') ?? '';
  return SECONDS.get(name) ?? OTHERS.get(project.name) ?? 0;
}
