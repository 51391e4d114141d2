import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { takenFields } from './taken-fields.ts';

const desired = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'manager', labels: { app: 'manager' } },
  spec: {
    replicas: 1,
    template: {
      spec: {
        containers: [
          { name: 'manager', image: 'v1', args: ['--leader-elect'] },
          { name: 'proxy', image: 'p1', ports: [{ containerPort: 8443 }] },
        ],
      },
    },
  },
};

const container = (name: string, fields: object): object => ({
  'f:spec': {
    'f:template': { 'f:spec': { 'f:containers': { [`k:{"name":"${name}"}`]: { '.': {}, ...fields } } } },
  },
});

interface Managed {
  readonly manager: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: unknown;
}

function live(...managedFields: readonly Managed[]): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'manager', managedFields } } as KubeObject;
}

const ours: Managed = {
  manager: 'slipway',
  operation: 'Apply',
  fieldsV1: { 'f:metadata': { 'f:labels': { 'f:app': {} } } },
};
const scaled: Managed = { manager: 'kubectl', subresource: 'scale', fieldsV1: { 'f:spec': { 'f:replicas': {} } } };

describe('the fields that other managers have taken', () => {
  test.each<{ readonly because: string; readonly by: readonly Managed[]; readonly taken: readonly string[] }>([
    { because: 'a person scaled it', by: [ours, scaled], taken: ['spec.replicas by kubectl'] },
    {
      because: 'a person changed an image',
      by: [ours, { manager: 'kubectl-set', fieldsV1: container('manager', { 'f:image': {} }) }],
      taken: ['spec.template.spec.containers[manager].image by kubectl-set'],
    },
    {
      because: 'several managers changed fields',
      by: [scaled, { manager: 'kubectl-edit', fieldsV1: container('proxy', { 'f:image': {} }) }],
      taken: ['spec.replicas by kubectl', 'spec.template.spec.containers[proxy].image by kubectl-edit'],
    },
    {
      because: 'a list that is replaced as a whole was changed',
      by: [ours, { manager: 'sed', fieldsV1: container('manager', { 'f:args': {} }) }],
      taken: ['spec.template.spec.containers[manager].args by sed'],
    },
    {
      because: 'a key that the manifest omits has its default',
      by: [
        ours,
        {
          manager: 'sed',
          fieldsV1: container('proxy', {
            'f:ports': { 'k:{"containerPort":8443,"protocol":"TCP"}': { 'f:containerPort': {} } },
          }),
        },
      ],
      taken: ['spec.template.spec.containers[proxy].ports[8443 TCP].containerPort by sed'],
    },
    {
      because: 'both set the same value, so we own it too',
      by: [{ ...ours, fieldsV1: scaled.fieldsV1 }, scaled],
      taken: [],
    },
    {
      because: 'we own all fields below it',
      by: [{ ...ours, fieldsV1: { 'f:spec': {} } }, scaled],
      taken: [],
    },
    {
      because: 'the manifest does not set the field',
      by: [
        ours,
        {
          manager: 'hpa',
          fieldsV1: { 'f:spec': { 'f:paused': {}, 'f:template': { 'f:metadata': { 'f:annotations': {} } } } },
        },
      ],
      taken: [],
    },
    {
      because: 'the manifest has no such list entry',
      by: [ours, { manager: 'mesh', fieldsV1: container('sidecar', { 'f:image': {} }) }],
      taken: [],
    },
    {
      because: 'status changes are no drift',
      by: [ours, { manager: 'kubelet', subresource: 'status', fieldsV1: { 'f:spec': { 'f:replicas': {} } } }],
      taken: [],
    },
    { because: 'there are no managedFields', by: [], taken: [] },
    {
      because: 'managedFields have an unexpected shape',
      by: [
        { manager: 'x', fieldsV1: { 'k:{': {}, 'f:spec': 7 } },
        { manager: 'y', fieldsV1: container('a"', { 'f:image': {} }) },
        { manager: 'z' },
      ],
      taken: [],
    },
  ])('taken fields are $taken: $because', ({ by, taken }) => {
    const found = takenFields(desired, { ...desired, ...live(...by) });
    expect(found.map(({ path, manager }) => `${path} by ${manager}`)).toEqual(taken);
  });

  describe('fields without a manager', () => {
    /** All that we own except the replicas and the image of one container. */
    const left = {
      'f:selector': {},
      'f:template': {
        'f:spec': {
          'f:containers': {
            'k:{"name":"manager"}': { '.': {}, 'f:name': {}, 'f:args': {} },
            'k:{"name":"proxy"}': { '.': {}, 'f:name': {}, 'f:image': {}, 'f:ports': {} },
          },
        },
      },
    };
    const mine = { ...ours, fieldsV1: { 'f:spec': left } };
    const changed = (spec: object): KubeObject => ({ ...live(mine), spec: { ...desired.spec, ...spec } });

    test.each<{ readonly because: string; readonly is: KubeObject; readonly taken: readonly string[] }>([
      {
        because: 'it was scaled to 0, which leaves it without an owner',
        is: changed({ replicas: 0 }),
        taken: ['spec.replicas by undefined'],
      },
      {
        because: 'it was removed',
        is: changed({ replicas: undefined }),
        taken: ['spec.replicas by undefined'],
      },
      {
        because: 'it is in a list',
        is: changed({ template: { spec: { containers: [{ name: 'manager', image: 'other' }] } } }),
        taken: ['spec.template.spec.containers[manager].image by undefined'],
      },
      { because: 'its value is right, regardless of its owner', is: changed({}), taken: [] },
    ])('fields without a manager are $taken: $because', ({ is, taken }) => {
      expect(takenFields(desired, is).map(({ path, manager }) => `${path} by ${manager}`)).toEqual(taken);
    });
  });

  test('the list of taken fields is short, even if all were taken', () => {
    const data = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, 'x']));
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data };
    const fields = { 'f:data': Object.fromEntries(Object.keys(data).map((key) => [`f:${key}`, {}])) };
    expect(takenFields(config, live({ manager: 'x'.repeat(500), fieldsV1: fields }))).toHaveLength(20);
  });
});
