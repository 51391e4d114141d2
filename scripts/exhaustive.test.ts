/** Each test of which `make test` takes a sample is whole in a target of the Makefile. */
import { expect, test } from 'vitest';
import { readText, repositoryFiles } from './source-files.ts';

const SAMPLING = /from '[./]+\/(?:e2e\/)?lib\/sample\.ts'/;

/** The paths that targets give to Vitest with SLIPWAY_EXHAUSTIVE. */
function exhaustivePaths(makefile: string): readonly string[] {
  const lines = makefile.replaceAll('\\\n', ' ').split('\n');
  return lines
    .filter((line) => line.includes('SLIPWAY_EXHAUSTIVE=yes'))
    .flatMap((line) => line.split(/\s+/).filter((word) => /^[a-z][\w-]*\/[\w./-]+$/.test(word)));
}

/** `make test-more` finds its files itself: those that have a property. */
const PROPERTY = /fc\.(assert|check|sample)/;

const paths = exhaustivePaths(readText('Makefile') ?? '');

test('the targets name paths, over several lines too', () => {
  const makefile = 'a:\n\tSLIPWAY_EXHAUSTIVE=yes x -- --project cluster e2e/one \\\n\t  kube/two\nb:\n\tx e2e/three\n';
  expect(exhaustivePaths(makefile)).toEqual(['e2e/one', 'kube/two']);
  expect(paths.length).toBeGreaterThan(20);
});

test('each file that `make test` leaves out is run by a target', () => {
  const left = repositoryFiles().filter((file) => /\.long\.(cluster\.)?test\.ts$/.test(file));
  expect(left.length).toBeGreaterThan(20);
  expect(left.filter((file) => !paths.some((path) => file.includes(path)))).toEqual([]);
});

test('each file that takes a sample is run by a target that takes all', () => {
  const sampling = repositoryFiles().filter(
    (file) =>
      file.endsWith('.test.ts') && !file.endsWith('.conformance.test.ts') && SAMPLING.test(readText(file) ?? ''),
  );
  expect(sampling.length).toBeGreaterThan(20);
  const hasProperty = (file: string): boolean => PROPERTY.test(readText(file) ?? '');
  const left = sampling.filter((file) => !paths.some((path) => file.includes(path)));
  expect(left.filter((file) => !hasProperty(file))).toEqual([]);
  expect(left.length).toBeGreaterThan(20);
});

test('the target of all properties takes each of their samples, in each file that has one', () => {
  const command = (readText('Makefile') ?? '').split('\n\n').find((target) => target.startsWith('test-more:')) ?? '';
  expect(command).toContain('SLIPWAY_EXHAUSTIVE=yes');
  expect(command).toContain(`grep -rlE "${PROPERTY.source}" --include='*.test.ts'`);
});

test('each path of such a target is one of a test', () => {
  const tests = repositoryFiles().filter((file) => file.endsWith('.test.ts'));
  expect(paths.filter((path) => !tests.some((file) => file.includes(path)))).toEqual([]);
});
