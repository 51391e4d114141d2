import { expect, test } from 'vitest';
import type { RequiredCertificate } from '../../../bundles/render/required-certificates.ts';
import { createCertificatesAhead, type CertificatesAhead } from './issue-ahead.ts';
import { namesOf } from './add.ts';
import type { Issued } from './issue.ts';

const NAMESPACE = 'ops';

/** The certificate of an operator with one webhook. */
const requiredBy = (name: string): RequiredCertificate => ({
  deployment: name,
  secretName: `${name}-cert`,
  serviceName: `${name}-service`,
  dnsNames: [`${name}-service.${NAMESPACE}.svc`],
  injectInto: [],
});

/** Certificates whose authority is their number, and how many were issued. */
function scene({ exists = false, fails = false } = {}) {
  const at = { ms: 0, issued: 0 };
  const ahead = createCertificatesAhead({
    exists: () => exists,
    now: () => new Date(at.ms),
    issue: async () => {
      at.issued += 1;
      if (fails && at.issued === 1) throw new Error('no entropy');
      return { authority: `${at.issued}`, pair: { certificate: '', key: '' } };
    },
  });
  return { at, ahead };
}

const issue = (ahead: CertificatesAhead, name: string): Promise<Issued> =>
  ahead.issue({ dnsNames: namesOf(requiredBy(name), NAMESPACE), now: new Date(), lifetimeMs: 1 });

test('a certificate that was issued ahead is used once, for its names', async () => {
  const { at, ahead } = scene();
  ahead.begin([requiredBy('widget')], NAMESPACE);
  expect(at.issued).toBe(1);
  expect((await issue(ahead, 'gadget')).authority).toBe('2');
  expect((await issue(ahead, 'widget')).authority).toBe('1');
  expect((await issue(ahead, 'widget')).authority).toBe('3');
});

test('no certificate is issued ahead if its Secret exists: the certificate in it is kept', () => {
  const { at, ahead } = scene({ exists: true });
  ahead.begin([requiredBy('widget')], NAMESPACE);
  expect(at.issued).toBe(0);
});

test('a certificate that was issued long ago is not used', async () => {
  const { at, ahead } = scene();
  ahead.begin([requiredBy('widget')], NAMESPACE);
  at.ms = 60_000;
  expect((await issue(ahead, 'widget')).authority).toBe('2');
});

test('a certificate that could not be issued ahead is issued when it is needed', async () => {
  const { ahead } = scene({ fails: true });
  ahead.begin([requiredBy('widget')], NAMESPACE);
  expect((await issue(ahead, 'widget')).authority).toBe('2');
});

test('the oldest certificates that no Revision takes are dropped', async () => {
  const { ahead } = scene();
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const name of names) ahead.begin([requiredBy(name)], NAMESPACE);
  expect((await issue(ahead, 'e')).authority).toBe('5');
  expect((await issue(ahead, 'b')).authority).toBe('2');
  expect((await issue(ahead, 'a')).authority).toBe('6');
});
