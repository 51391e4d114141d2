import { expect, test } from 'vitest';
import type { BundleFinding } from '../../../bundles/validate/validate.ts';
import { withoutRepeats } from './repeats.ts';

const FINDING: BundleFinding = {
  level: 'error',
  check: 'a',
  file: 'f',
  object: 'o',
  path: 'p',
  message: 'm',
  advice: 'x',
};
const CRD: BundleFinding = { ...FINDING, check: 'crd-api-version', path: 'apiVersion' };
const REMOVED: BundleFinding = { ...CRD, level: 'warning', check: 'removed-apis', message: 'not served' };

test.each([
  { because: 'two checks use the same words', findings: [FINDING, { ...FINDING, check: 'b' }], kept: [FINDING] },
  { because: 'one check covers the other', findings: [REMOVED, CRD], kept: [CRD] },
  { because: 'the covering check was not run', findings: [REMOVED], kept: [REMOVED] },
  {
    because: 'they are about two objects',
    findings: [CRD, { ...REMOVED, object: 'other' }],
    kept: [CRD, { ...REMOVED, object: 'other' }],
  },
  {
    because: 'one place has two faults',
    findings: [FINDING, { ...FINDING, message: 'n' }],
    kept: [FINDING, { ...FINDING, message: 'n' }],
  },
])('each fact is reported once: $because', ({ findings, kept }) => {
  expect(withoutRepeats(findings)).toEqual(kept);
});
