/** Fields that OLM v0 left on an object that Slipway has taken over. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { NEVER } from '../api/testing/never.ts';
import { describeFormerFields, hasFormerFields, releaseFormerFields } from './former-fields.ts';

const PODS = {
  'f:spec': { 'f:template': { 'f:spec': { 'f:volumes': { 'k:{"name":"olm"}': { '.': {}, 'f:name': {} } } } } },
};
const OURS = {
  'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"manager"}': { 'f:image': {} } } } } },
};
const ENV = {
  'f:spec': {
    'f:template': {
      'f:metadata': { 'f:annotations': { 'f:olmcahash': {} } },
      'f:spec': {
        'f:containers': {
          'k:{"name":"manager"}': {
            'f:image': {},
            'f:terminationMessagePath': {},
            'f:env': { 'k:{"name":"OPERATOR_CONDITION_NAME"}': { '.': {} } },
          },
        },
      },
    },
  },
};

const entry = (manager: string, operation: string, fieldsV1: object, more: object = {}): object => ({
  manager,
  operation,
  apiVersion: 'apps/v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
});

function live(managedFields: readonly object[] | undefined, kind = 'Deployment'): KubeObject {
  const apiVersion = kind === 'Deployment' ? 'apps/v1' : 'v1';
  const container = { name: 'manager', image: 'i:1', env: [{ name: 'OPERATOR_CONDITION_NAME', value: 'x' }] };
  const template = {
    metadata: { annotations: { olmcahash: 'a' } },
    spec: { containers: [container], volumes: [{ name: 'olm' }] },
  };
  const metadata = { name: 'gadget', namespace: 'ops', resourceVersion: '7', ...(managedFields && { managedFields }) };
  return { apiVersion, kind, metadata, spec: { template } };
}

const ours = entry('slipway', 'Apply', OURS);
const desired: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'gadget', namespace: 'ops' },
  spec: { template: { spec: { containers: [{ name: 'manager', image: 'i:2' }] } } },
};

describe('fields of OLM', () => {
  test.each([
    { object: live([ours, entry('olm', 'Update', ENV)]), found: true, because: 'the operator of OLM wrote it' },
    {
      object: live([ours, entry('catalog', 'Update', ENV)]),
      found: true,
      because: 'the catalog operator of OLM wrote it',
    },
    { object: live([ours, entry('olm.install', 'Apply', ENV)], 'Service'), found: true, because: 'OLM applied it' },
    { object: live([ours]), found: false, because: 'nothing but Slipway wrote it' },
    {
      object: live([ours, entry('olm', 'Update', ENV, { subresource: 'status' })]),
      found: false,
      because: 'OLM wrote the status only',
    },
    { object: live([ours, entry('kubectl', 'Update', ENV)]), found: false, because: 'a person wrote it' },
    { object: live([entry('olm', 'Update', ENV)]), found: false, because: 'Slipway has not applied it yet' },
    { object: live(undefined), found: false, because: 'the managers of the fields are not known' },
    {
      object: live([ours, entry('olm', 'Update', ENV)], 'Secret'),
      found: false,
      because: 'the certificate in a Secret of OLM is in use',
    },
  ])('are there: $found, as $because', ({ object, found }) => {
    expect(hasFormerFields(object)).toBe(found);
  });

  test('are named in a plan if the new version does not set them', () => {
    const object = live([ours, entry('olm', 'Update', ENV), entry('catalog', 'Update', PODS)]);
    expect(describeFormerFields(desired, object)).toEqual([
      'spec.template.metadata.annotations.olmcahash',
      'spec.template.spec.containers[manager].env[OPERATOR_CONDITION_NAME]',
      'spec.template.spec.volumes[olm]',
    ]);
  });
});

describe('when an object is changed', () => {
  interface Outcome {
    readonly writes: readonly unknown[];
  }

  /** @param answered The Pod template of a trial apply. */
  async function release(object: KubeObject, answered: unknown): Promise<Outcome> {
    const writes: unknown[] = [];
    const cluster = {
      apply: async (_: unknown, options: { dryRun?: boolean }) => {
        expect(options.dryRun).toBe(true);
        return { ...object, spec: { template: answered } };
      },
      patch: async (_: unknown, patch: unknown) => {
        writes.push(patch);
        return object;
      },
    };
    await releaseFormerFields(cluster, desired, object, NEVER);
    return { writes };
  }

  test('the fields become those of Slipway, in one write that is bound to the version that was read', async () => {
    const other = entry('kubectl', 'Update', PODS);
    const object = live([ours, entry('olm', 'Update', ENV), other]);
    const { writes } = await release(object, { spec: { containers: [{ name: 'manager', image: 'i:2' }] } });
    expect(writes).toEqual([
      { metadata: { resourceVersion: '7', managedFields: [other, entry('slipway', 'Apply', ENV)] } },
    ]);
  });

  test('nothing is written if the Pods would not be replaced anyway', async () => {
    const object = live([ours, entry('olm', 'Update', ENV)]);
    const { template } = object['spec'] as { template: unknown };
    expect((await release(object, template)).writes).toEqual([]);
  });

  test('nothing is written for an object without fields of OLM', async () => {
    expect((await release(live([ours]), {})).writes).toEqual([]);
  });

  test('a Service has no Pods', async () => {
    const object = live([ours, entry('olm.install', 'Apply', ENV)], 'Service');
    expect((await release(object, undefined)).writes).toHaveLength(1);
  });
});
