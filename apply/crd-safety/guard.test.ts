import { NEVER } from '../../api/testing/never.ts';
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/object.ts';
import { sampleCrd } from '../testing/sample-objects.ts';
import { unsafeError } from './compare.ts';
import { guardCrd, type ListPage } from './guard.ts';

const [old, next] = [sampleCrd('Widget', { field: 'size' }), sampleCrd('Widget', { field: 'weight' })];
const widget = (name: string, spec: object = {}): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'ops' },
  spec,
});

const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function withSpec(crd: KubeObject, spec: object): KubeObject {
  const { versions } = crd['spec'] as { readonly versions: readonly object[] };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  return { ...crd, spec: { ...(crd['spec'] as object), versions: [{ ...versions[0], schema }] } };
}

function withRule(crd: KubeObject, rule: string): KubeObject {
  const properties = { size: { type: 'integer' } };
  return withSpec(crd, { type: 'object', properties, 'x-kubernetes-validations': [{ rule }] });
}

interface Lister {
  readonly listPage: ListPage;
  readonly asked: string[];
}

/** Serves objects in pages of the requested size. */
function lister(objects: readonly KubeObject[]): Lister {
  const asked: string[] = [];
  return {
    asked,
    async listPage({ apiVersion, kind, served }, { limit, continue: token = '0' }) {
      expect(served).toEqual({ plural: 'widgets', namespaced: true });
      asked.push(`${apiVersion} ${kind} ${token}`);
      const end = Number(token) + limit;
      return { items: objects.slice(Number(token), end), ...(end < objects.length && { continue: String(end) }) };
    },
  };
}

describe('a permitted CRD change', () => {
  test('a change without dangerous schema difference is permitted without reading objects', async () => {
    const { listPage, asked } = lister([]);
    expect((await guardCrd(old, old, { signal: NEVER, listPage })).safe).toBe(true);
    expect(asked).toEqual([]);
  });

  test.each([
    { objects: [], because: 'there is no object' },
    { objects: [widget('a'), widget('b', { other: 1 })], because: 'no object has the removed field' },
  ])('a dangerous CRD change is permitted because $because', async ({ objects }) => {
    expect((await guardCrd(old, next, { signal: NEVER, listPage: lister(objects).listPage })).safe).toBe(true);
  });

  test('a waived rule permits the change without reading objects', async () => {
    const { listPage, asked } = lister([widget('a', { size: 1 })]);
    const waivers = [{ crd: 'widgets.example.com', rule: 'existingFieldRemoval' }];
    expect((await guardCrd(old, next, { signal: NEVER, listPage, waivers })).safe).toBe(true);
    expect(asked).toEqual([]);
  });
});

describe('a refused CRD change', () => {
  test('a change that loses data of an object is refused, and every such object is named or counted', async () => {
    const objects = ['a', 'b', 'c', 'd', 'e'].map((name) => widget(name, name === 'b' ? {} : { size: 1 }));
    const verdict = await guardCrd(old, next, { signal: NEVER, listPage: lister(objects).listPage });
    expect(unsafeError([verdict])?.message).toContain(
      'existingFieldRemoval: the field is gone (ops/a, ops/c, ops/d and 1 more)',
    );
  });

  test("a tenant's message counts objects of other namespaces and does not name them", async () => {
    const theirs = (name: string): KubeObject => ({
      ...widget(name, { size: 1 }),
      metadata: { name, namespace: 'platform' },
    });
    const objects = [theirs('precious'), widget('a', { size: 1 }), theirs('other')];
    const verdict = await guardCrd(old, next, { signal: NEVER, listPage: lister(objects).listPage, namedIn: 'ops' });
    expect(unsafeError([verdict])?.message).toContain('the field is gone (ops/a and 2 in other namespaces)');
  });

  test('a change is refused if the affected object is on a later page', async () => {
    const objects = Array.from({ length: 201 }, (_, index) => widget(`w${index}`, index === 200 ? { size: 1 } : {}));
    const { listPage, asked } = lister(objects);
    const verdict = await guardCrd(old, next, { signal: NEVER, listPage });
    expect(unsafeError([verdict])?.message).toContain('(ops/w200)');
    expect(asked).toEqual(
      ['0', '25', '50', '75', '100', '125', '150', '175', '200'].map((token) => `example.com/v1 Widget ${token}`),
    );
  });

  test('a change is refused if there are more objects than the check reads', async () => {
    const { listPage, asked } = lister(Array.from({ length: 10_001 }, (_, index) => widget(`w${index}`)));
    const verdict = await guardCrd(old, next, { signal: NEVER, listPage });
    expect(unsafeError([verdict])?.message).toContain('(others that were not judged, as there are more than 10000)');
    expect(asked).toHaveLength(400);
  });

  test('a change is refused if the time is up before all objects are judged', async () => {
    let minutes = 0;
    const now = (): number => (minutes += 1) * 60_000;
    const objects = Array.from({ length: 10 }, (_, index) => widget(`w${index}`));
    const verdict = await guardCrd(old, next, { signal: NEVER, listPage: lister(objects).listPage, now });
    expect(unsafeError([verdict])?.message).toContain('60 s were not enough to judge all');
  });

  test('a change is refused if the limit ends the reading of objects, and those that were read are named', async () => {
    const limit = new AbortController();
    const pages = lister(
      Array.from({ length: 200 }, (_, index) => widget(`w${index}`, index === 0 ? { size: 1 } : {})),
    );
    const listPage: ListPage = async (kind, options, signal) => {
      if (options.continue !== undefined) limit.abort(new Error('over'));
      signal.throwIfAborted();
      return pages.listPage(kind, options, signal);
    };
    const verdict = await guardCrd(old, next, { signal: NEVER, limit: limit.signal, listPage });
    expect(unsafeError([verdict])?.message).toContain('(ops/w0 and others, as the time was not enough to judge all)');
  });

  test('an error that is not of the limit is thrown', async () => {
    const limit = new AbortController();
    const listPage: ListPage = async () => {
      limit.abort();
      throw new Error('refused');
    };
    await expect(guardCrd(old, next, { signal: NEVER, limit: limit.signal, listPage })).rejects.toThrow('refused');
  });

  test('a change is refused if one object would cost too much to judge', async () => {
    const wide = { anyOf: Array.from({ length: 1000 }, (_, index) => ({ minLength: 2 + index })) };
    const spec = (items: object): object => ({ type: 'object', properties: { x: { type: 'array', items } } });
    const [before, after] = [withSpec(old, spec({ type: 'string' })), withSpec(old, spec({ type: 'string', ...wide }))];
    const many = widget('a', { x: Array.from({ length: 3000 }, () => 'a') });
    const verdict = await guardCrd(before, after, { signal: NEVER, listPage: lister([many]).listPage });
    expect(unsafeError([verdict])?.message).toContain('too large to be judged here (ops/a)');
  });

  test('a change is refused if an expression cannot be evaluated, and the message names the object', async () => {
    const asked = withRule(old, 'isURL(self.size)');
    const verdict = await guardCrd(old, asked, {
      signal: NEVER,
      listPage: lister([widget('a', { size: 1 })]).listPage,
    });
    expect(unsafeError([verdict])?.message).toMatch(
      /widgets\.example\.com: v1: \^\.spec: validations: has to satisfy isURL\(self\.size\) \(ops\/a: .*cannot be evaluated/,
    );
  });

  test('a preserved value that now has to follow a schema is refused, with its path and the dropped value', async () => {
    const [open, named] = [withSpec(old, OPEN), withSpec(old, { ...OPEN, properties: { size: { type: 'object' } } })];
    const verdict = await guardCrd(open, named, {
      signal: NEVER,
      listPage: lister([widget('a', { size: { deep: 1 } })]).listPage,
    });
    expect(unsafeError([verdict])?.message).toContain(
      'v1: ^.spec: unknownFields: values kept as "size" have to follow a schema now (ops/a: ^.spec.size.deep: "deep" is dropped)',
    );
    const waivers = [{ crd: 'widgets.example.com', rule: 'unknownFields' }];
    expect((await guardCrd(open, named, { signal: NEVER, listPage: lister([]).listPage, waivers })).safe).toBe(true);
  });

  test('a change that the API server always refuses is refused even without objects', async () => {
    const moved = { ...old, spec: { ...(old['spec'] as object), scope: 'Cluster' } };
    const { listPage, asked } = lister([]);
    expect((await guardCrd(old, moved, { signal: NEVER, listPage })).safe).toBe(false);
    expect(asked).toEqual([]);
  });

  test('a change is refused if no version is served in which objects could be read', async () => {
    const [version] = (old['spec'] as { versions: readonly object[] }).versions;
    const unserved = { ...old, spec: { ...(old['spec'] as object), versions: [{ ...version, served: false }] } };
    expect((await guardCrd(unserved, next, { signal: NEVER, listPage: lister([]).listPage })).safe).toBe(false);
  });

  test('if objects cannot be read, the error is thrown so that the caller retries', async () => {
    const error = new ReasonedError({ reason: 'ApiUnavailable', retry: 'backoff', message: 'the webhook is down' });
    await expect(guardCrd(old, next, { signal: NEVER, listPage: () => Promise.reject(error) })).rejects.toBe(error);
  });
});
