import { describe, expect, it } from 'vitest';
import { makeBundle, makeDeployment } from '../testing/bundle.ts';
import { renderBundle } from './render.ts';
import { checkCopies } from './rendered-size.ts';

const tooLarge: unknown = expect.objectContaining({ reason: 'BundleTooLarge', retry: 'never' });
const deployments = (count: number, containers: number): readonly unknown[] =>
  Array.from({ length: count }, (_, index) =>
    makeDeployment(`d${index}`, {
      containers: Array.from({ length: containers }, (_unused, at) => ({
        name: `c${at}`,
        image: 'quay.io/example/a:v1',
      })),
    }),
  );

const SHORT = Array.from({ length: 10_000 }, (_, index) => ({ name: `a${index}`, value: 'x' }));

describe('a bundle that multiplies is refused', () => {
  it('annotations of the CSV are not copied to hundreds of Deployments', () => {
    const annotations = { a: 'x'.repeat(200_000) };
    const [many, few] = [200, 20].map((count) =>
      makeBundle({ metadata: { name: 'g', annotations }, deployments: deployments(count, 1) }),
    );
    expect(() => renderBundle(many!, { namespace: 'ops', certificates: 'none' })).toThrow(tooLarge);
    expect(() => renderBundle(few!, { namespace: 'ops', certificates: 'none' })).not.toThrow();
  });

  it('variables of the configuration are not copied to thousands of containers', () => {
    const env = Array.from({ length: 20 }, (_, index) => ({ name: `V${index}`, value: 'x'.repeat(30_000) }));
    const bundle = makeBundle({ deployments: deployments(10, 100) });
    expect(() => renderBundle(bundle, { namespace: 'ops', certificates: 'none', config: { env } })).toThrow(tooLarge);
  });

  it.each([
    { because: 'annotations', annotations: Object.fromEntries(SHORT.map(({ name, value }) => [name, value])), env: [] },
    { because: 'variables', annotations: {}, env: SHORT },
  ])('copies of many short $because are refused before they are made', ({ annotations, env }) => {
    const check = (count: number): void => {
      const bundle = makeBundle({ metadata: { name: 'g', annotations }, deployments: deployments(count, 1) });
      checkCopies({ bundle, options: { namespace: 'ops', certificates: 'none', config: { env } }, targets: [''] });
    };
    expect(() => check(800)).toThrow(tooLarge);
    expect(() => check(50)).not.toThrow();
  });

  it.each([
    { namespaces: 100, isRefused: true, because: 'they are copied to 101 namespaces' },
    { namespaces: 1, isRefused: false, because: 'they are copied to two' },
  ])('5,000 short rules are refused: $isRefused, since $because', ({ namespaces, isRefused }) => {
    const rules = Array.from({ length: 5000 }, () => ({ verbs: ['a'] }));
    const modes = ['SingleNamespace', 'MultiNamespace'] as const;
    const bundle = makeBundle({ modes, permissions: [{ serviceAccountName: 'a', rules }] });
    const watchNamespaces = Array.from({ length: namespaces }, (_, index) => `n${index}`);
    const render = (): unknown => renderBundle(bundle, { namespace: 'ops', certificates: 'none', watchNamespaces });
    if (isRefused) expect(render).toThrow(tooLarge);
    else expect(render).not.toThrow();
  });

  it("permissions are not copied to more namespaces than a Revision has room for, the operator's own among them", () => {
    const [many, few] = [20, 19].map((count) => {
      const permissions = Array.from({ length: count }, (_, index) => ({
        serviceAccountName: `a${index}`,
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
      }));
      return makeBundle({ modes: ['MultiNamespace'], permissions });
    });
    const watchNamespaces = Array.from({ length: 100 }, (_, index) => `n${index}`);
    expect(() => renderBundle(many!, { namespace: 'ops', certificates: 'none', watchNamespaces })).toThrow(tooLarge);
    expect(() => renderBundle(few!, { namespace: 'ops', certificates: 'none', watchNamespaces })).not.toThrow();
  });
});
