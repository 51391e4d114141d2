/** Runs the commands of the guides for the command line, against a real registry, and compares their output. */
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useCluster } from '../e2e/lib/cluster.ts';
import { isShown, stepsOf, typeSteps } from './shell-steps.ts';

const cluster = useCluster({ only: ['registry'] });

describe('the guides for the command line', () => {
  test.each([
    { path: 'docs/how-to/publish-a-bundle.md', count: 12 },
    { path: 'docs/how-to/make-a-bundle-of-plain-yaml.md', count: 5 },
    { path: 'docs/how-to/publish-a-catalog.md', count: 7 },
    { path: 'docs/how-to/see-why-a-version.md', count: 6 },
    { path: 'docs/how-to/plan-an-upgrade.md', count: 7 },
  ])('$path does and prints what it says', async ({ path, count }) => {
    rmSync(resolve(import.meta.dirname, '../.cache/how-to'), { recursive: true, force: true });
    const steps = stepsOf(path);
    const outputs = await typeSteps(steps, cluster());
    expect(outputs).toHaveLength(count);
    const shown = steps.flatMap(({ printed }, index) => (printed === undefined ? [] : { printed, index }));
    expect(shown.length).toBeGreaterThan(3);
    for (const { printed, index } of shown) {
      const actual = outputs[index] ?? '';
      expect(isShown(actual, printed), `${printed}is shown, printed is\n${actual}`).toBe(true);
    }
  });

  test('leave in the registry what other tools can read', async () => {
    const { registry, crane } = cluster();
    expect((await crane(['ls', `${registry}/team/beacon-operator`])).trim().split('\n').sort()).toEqual([
      'v1.0.0',
      'v1.1.0',
    ]);
    expect((await crane(['ls', `${registry}/team/lamp-operator-bundle`])).trim()).toBe('v1.0.0');
    expect(await crane(['export', `${registry}/team/catalog:latest`, '-'])).toContain('beacon-operator.v1.1.0');
  });
});
