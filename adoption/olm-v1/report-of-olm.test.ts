/** The state that OLM v1 reports, as a person reads it while a hand-over waits for OLM. */
import { expect, test } from 'vitest';
import { finalizersLeft } from '../awaiting.ts';
import { reportOfOlm } from './report-of-olm.ts';
import { extensionOf } from './testing/extension.ts';

const retrying = { reason: 'Retrying', message: 'no disk' };

test.each([
  {
    because: 'OLM tries again',
    extension: extensionOf({ progressing: retrying }),
    says: 'OLM reports Retrying: no disk',
  },
  {
    because: 'OLM has not seen the change',
    extension: extensionOf({ progressing: { observedGeneration: 2, message: 'done' } }),
    says: 'OLM has not reported on this change yet; before, it reported Succeeded: done',
  },
  {
    because: 'OLM has reported nothing',
    extension: extensionOf({ status: { conditions: [] } }),
    says: 'OLM has reported nothing',
  },
  {
    because: 'nothing is installed, for a reason of its own',
    extension: extensionOf({
      status: {
        conditions: [
          { type: 'Progressing', status: 'True', observedGeneration: 3, ...retrying },
          { type: 'Installed', status: 'False', reason: 'Failed', message: 'CRD is unsafe' },
        ],
      },
    }),
    says: 'OLM reports Retrying: no disk; not installed: Failed: CRD is unsafe',
  },
  {
    because: 'its text has a password and characters that a terminal obeys',
    extension: extensionOf({
      progressing: { reason: 'Retrying', message: 'at https://me:secret@host/\n\u001b[2Jbad' },
    }),
    says: 'OLM reports Retrying: at https://[redacted]@host/ \uFFFD[2Jbad',
  },
])('$because', ({ extension, says }) => {
  expect(reportOfOlm(extension)).toBe(says);
});

test('a long text is cut', () => {
  const report = reportOfOlm(extensionOf({ progressing: { reason: 'Retrying', message: 'x'.repeat(9000) } }));
  expect(report?.length).toBeLessThan(700);
  expect(report).toMatch(/x…$/);
});

test('a ClusterExtension that does not exist has no report', () => {
  expect(reportOfOlm(undefined)).toBeUndefined();
});

test('finalizers that are left are named, without that of Slipway', () => {
  const finalizers = ['slipway.dev/adoption', 'orphan', 'olm.operatorframework.io/cleanup'];
  expect(finalizersLeft(extensionOf({ metadata: { finalizers } }))).toBe('left are orphan, olm.operatorframework.io/cleanup'); // prettier-ignore
  expect(finalizersLeft(extensionOf())).toBeUndefined();
});
