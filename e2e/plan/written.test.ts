import { describe, expect, test } from 'vitest';
import type { ObjectRef } from '../../api/object.ts';
import type { Plan } from '../../plan/model.ts';
import { announcedBy, differencesOf, unclaimed, type Written, type Writing } from './written.ts';

const ref = (kind: string, name: string, apiVersion = 'v1'): ObjectRef => ({
  apiVersion,
  kind,
  name,
  namespace: 'ops',
});
const changed = (one: ObjectRef): { ref: ObjectRef; fields: []; more: number } => ({ ref: one, fields: [], more: 0 });
const plan = {
  objects: {
    created: [ref('NetworkPolicy', 'a', 'networking.k8s.io/v1')],
    changed: [changed(ref('Deployment', 'b', 'apps/v1'))],
    replaced: [],
    deleted: [ref('ConfigMap', 'c')],
    kept: [],
    unchanged: [ref('Secret', 'd')],
  },
  additions: {
    objects: [
      { ref: ref('Secret', 'cert'), change: 'created', purpose: '' },
      { ref: ref('Secret', 'old-cert'), change: 'unchanged', purpose: '' },
    ],
    fields: [],
  },
} as unknown as Plan;
const write = (writing: Writing, object: string): Written => ({ writing, object });
const ALL = announcedBy(plan);

describe('writes beside a plan', () => {
  test('are named as the audit log names them', () => {
    expect(ALL).toEqual([
      write('created', 'networkpolicies.networking.k8s.io ops/a'),
      write('changed', 'deployments.apps ops/b'),
      write('deleted', 'configmaps ops/c'),
      write('created', 'secrets ops/cert'),
    ]);
  });

  test.each<{ because: string; written: readonly Written[]; missing: readonly string[]; more: readonly string[] }>([
    { because: 'all are made', written: ALL, missing: [], more: [] },
    {
      because: 'one is not made',
      written: ALL.slice(1),
      missing: ['created networkpolicies.networking.k8s.io ops/a'],
      more: [],
    },
    {
      because: 'an object is written that should stay as it is',
      written: [...ALL, write('changed', 'secrets ops/d')],
      missing: [],
      more: ['changed secrets ops/d'],
    },
    {
      because: 'a certificate is issued again that should stay',
      written: [...ALL, write('changed', 'secrets ops/old-cert')],
      missing: [],
      more: ['changed secrets ops/old-cert'],
    },
    {
      because: 'an object is deleted that should be changed',
      written: [...ALL.filter(({ writing }) => writing !== 'changed'), write('deleted', 'deployments.apps ops/b')],
      missing: ['changed deployments.apps ops/b'],
      more: ['deleted deployments.apps ops/b'],
    },
  ])('differ if $because', ({ written, missing, more }) => {
    expect(differencesOf(plan, written)).toEqual({ missing, more });
  });

  test('of an object of no plan are found', () => {
    expect(unclaimed([plan], [...ALL, write('created', 'pods ops/x')])).toEqual([write('created', 'pods ops/x')]);
  });
});
