/** Our verdict on the cases of testing/cases.ts; e2e/stories/crd-safety runs the same cases against an API server. */
import { NEVER } from '../../api/testing/never.ts';
import { expect, test } from 'vitest';
import { isDangerous } from './compare.ts';
import { guardCrd } from './guard.ts';
import { CASES, crdOf } from './testing/cases.ts';

test.each(CASES)('$outcome, because $because', async ({ old, next, spec, name = 'a', version = 'v1', outcome }) => {
  const object = { apiVersion: `example.com/${version}`, kind: 'Things', metadata: { name, namespace: 'ops' }, spec };
  const listPage = (): Promise<{ items: [typeof object] }> => Promise.resolve({ items: [object] });
  const verdict = await guardCrd(crdOf('things', old), crdOf('things', next), { signal: NEVER, listPage });
  const dangers = verdict.findings.filter(isDangerous);
  expect(verdict.safe, JSON.stringify(dangers)).toBe(outcome === 'unhurt');
  expect(dangers.every(({ objects }) => objects?.names.includes(`ops/${name}`) === true)).toBe(true);
});
