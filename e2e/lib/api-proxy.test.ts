import { expect, test } from 'vitest';
import { changesObjects } from './api-proxy.ts';

const REVISIONS = '/apis/slipway.dev/v1alpha1/namespaces/a/revisions';

const CASES = [
  { method: 'POST', path: REVISIONS, isCounted: true, because: 'an object is created' },
  { method: 'PATCH', path: `${REVISIONS}/a-1/status`, isCounted: true, because: 'a status is read again' },
  { method: 'DELETE', path: `${REVISIONS}/a-1`, isCounted: true, because: 'an object is deleted' },
  { method: 'POST', path: '/api/v1/namespaces/a/events', isCounted: false, because: 'an event only reports' },
  { method: 'POST', path: '/apis/events.k8s.io/v1/namespaces/a/events?x=1', isCounted: false, because: 'the same' },
  { method: 'GET', path: `${REVISIONS}?watch=true`, isCounted: false, because: 'a read changes nothing' },
  { method: 'PATCH', path: `${REVISIONS}/a-1?dryRun=All`, isCounted: false, because: 'a dry run changes nothing' },
  {
    method: 'DELETE',
    path: REVISIONS,
    body: '{"dryRun":["All"]}',
    isCounted: false,
    because: 'the same of a deletion',
  },
  {
    method: 'PUT',
    path: '/apis/coordination.k8s.io/v1/namespaces/a/leases/b',
    isCounted: false,
    because: 'a lease is no result of a reconcile',
  },
  {
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    isCounted: false,
    because: 'it is not stored',
  },
] as const;

test.each(CASES)('$method $path: $because', (row) => {
  const body = Buffer.from('body' in row ? row.body : '');
  expect(changesObjects({ method: row.method, path: row.path, body })).toBe(row.isCounted);
});
