import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { makeBundle, makeDeployment } from '../testing/bundle.ts';
import { renderBundle } from './render.ts';
import { usesOperatorCondition } from './operator-condition.ts';

const PODS = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const OWN = { apiGroups: ['operators.coreos.com'], resources: ['operatorconditions'], verbs: ['get', 'update'] };
const permissionOf = (...rules: readonly object[]): object => ({ serviceAccountName: 'gadget', rules });

function deploymentWith(container: object): unknown {
  return makeDeployment('gadget-manager', { containers: [{ name: 'manager', image: 'i', ...container }] });
}

describe('an operator uses its OperatorCondition', () => {
  test.each([
    { parts: {}, uses: false, because: 'nothing in the bundle names one' },
    { parts: { permissions: [permissionOf(PODS)] }, uses: false, because: 'it asks for other rights only' },
    { parts: { permissions: [permissionOf(PODS, OWN)] }, uses: true, because: 'it asks for rights in its namespace' },
    {
      parts: { clusterPermissions: [permissionOf(OWN)] },
      uses: true,
      because: 'it asks for rights in every namespace',
    },
    {
      parts: { permissions: [permissionOf({ ...OWN, resources: ['operatorconditions/status'] })] },
      uses: true,
      because: 'an operator of the version v1 writes the status',
    },
    {
      parts: { permissions: [permissionOf({ ...OWN, apiGroups: ['other.example'] })] },
      uses: false,
      because: 'the resource is one of another group',
    },
    {
      parts: { clusterPermissions: [permissionOf({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] })] },
      uses: false,
      because: 'rights on everything do not name it',
    },
    {
      parts: { deployments: [deploymentWith({ env: [{ name: 'OPERATOR_CONDITION_NAME', value: 'own' }] })] },
      uses: true,
      because: 'a container names the variable',
    },
  ])('$uses if $because', ({ parts, uses }) => {
    expect(usesOperatorCondition(makeBundle(parts as never))).toBe(uses);
  });
});

describe('with an OperatorCondition', () => {
  const bundle = makeBundle({ deployments: [deploymentWith({ env: [{ name: 'LEVEL', value: '1' }] })] });
  const options = { namespace: 'ops', certificates: 'none' } as const;
  const render = (operatorCondition: boolean): readonly KubeObject[] =>
    renderBundle(bundle, { ...options, operatorCondition });
  const name = bundle.csv.name;
  const of = (objects: readonly KubeObject[], kind: string, suffix = ''): KubeObject | undefined =>
    objects.find((one) => one.kind === kind && one.metadata.name === `${name}${suffix}`);

  test('every container learns the name, after its other variables', () => {
    const deployment = render(true).find(({ kind }) => kind === 'Deployment');
    expect(deployment).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              {
                env: [
                  { name: 'LEVEL', value: '1' },
                  { name: 'OPERATOR_CONDITION_NAME', value: name },
                ],
              },
            ],
          },
        },
      },
    });
  });

  test('a container that sets the variable itself keeps its value', () => {
    const own = { name: 'OPERATOR_CONDITION_NAME', value: 'own' };
    const rendered = renderBundle(makeBundle({ deployments: [deploymentWith({ env: [own] })] }), {
      ...options,
      operatorCondition: true,
    });
    expect(rendered.find(({ kind }) => kind === 'Deployment')).toMatchObject({
      spec: { template: { spec: { containers: [{ env: [own] }] } } },
    });
  });

  test('the object is rendered without fields that the operator or OLM writes', () => {
    expect(of(render(true), 'OperatorCondition')).toEqual({
      apiVersion: 'operators.coreos.com/v2',
      kind: 'OperatorCondition',
      metadata: { name, namespace: 'ops' },
      spec: {},
    });
  });

  test('the account of the Pods may read and write this object, and no other one', () => {
    const objects = render(true);
    expect(of(objects, 'Role', '-operator-condition')?.['rules']).toEqual([
      {
        apiGroups: ['operators.coreos.com'],
        resources: ['operatorconditions', 'operatorconditions/status'],
        resourceNames: [name],
        verbs: ['get', 'update', 'patch'],
      },
    ]);
    expect(of(objects, 'RoleBinding', '-operator-condition')?.['subjects']).toEqual([
      { kind: 'ServiceAccount', name: 'gadget', namespace: 'ops' },
    ]);
  });

  test('without one, the objects are those of OLM v1', () => {
    expect(render(false)).toEqual(renderBundle(bundle, options));
    expect(render(false).map(({ kind }) => kind)).not.toContain('OperatorCondition');
  });
});
