/** The parts of another maker that an object keeps. */
import { describe, expect, test } from 'vitest';
import { ANNOTATION } from '../api/names.ts';
import type { KubeObject } from '../api/object.ts';
import { keptByMaker } from './taken-over.ts';
import { prepared, sample, sampleCrd } from './testing/sample-objects.ts';

const entry = (
  fieldsV1: object,
  manager = 'kubectl-create',
  { operation = 'Update', subresource = '' } = {},
): object => ({
  manager,
  operation,
  subresource,
  fieldsV1,
});
const live = (object: KubeObject, metadata: object): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
});
const [crd] = prepared([sampleCrd('Widget')]) as [KubeObject];
const names = { 'f:spec': { 'f:names': { 'f:kind': {}, 'f:shortNames': {} } } };

describe('an object that is taken over', () => {
  test('names the fields that the manifest does not set', () => {
    const annotations = { 'f:annotations': { 'f:cert-manager.io/inject-ca-from': {} } };
    const managedFields = [entry({ ...names, 'f:metadata': annotations })];
    expect(keptByMaker(crd, live(crd, { managedFields })).fields).toEqual([
      'metadata.annotations.cert-manager.io/inject-ca-from',
      'spec.names.shortNames',
    ]);
  });

  test.each<{ fields: object; because: string }>([
    { fields: entry(names, 'slipway', { operation: 'Apply' }), because: 'Slipway wrote it' },
    {
      fields: entry({ 'f:status': { 'f:conditions': {} } }, 'kube-apiserver', { subresource: 'status' }),
      because: 'it is a status',
    },
    { fields: entry({ 'f:spec': { 'f:conversion': { 'f:strategy': {} } } }), because: 'each apply states it' },
    { fields: entry({ 'f:spec': { 'f:versions': {} } }), because: 'the manifest sets it' },
    {
      fields: entry({ 'f:metadata': { 'f:annotations': { [`f:${ANNOTATION.adoptBy}`]: {} } } }),
      because: 'the hand-over wrote it',
    },
    { fields: entry({ 'f:metadata': { 'f:finalizers': { '.': {}, 'v:"a"': {} } } }), because: 'it is named by itself' },
  ])('names no field if $because', ({ fields }) => {
    expect(keptByMaker(crd, live(crd, { managedFields: [fields] })).fields).toEqual([]);
  });

  test('names fields of a maker that calls itself slipway', () => {
    const managedFields = [entry({}, 'slipway', { operation: 'Apply' }), entry(names, 'slipway')];
    expect(keptByMaker(crd, live(crd, { managedFields })).fields).toEqual(['spec.names.shortNames']);
  });

  test('names finalizers in every scope, and fields of cluster-scoped objects only', () => {
    const config = prepared([sample('v1', 'ConfigMap', 'a', { namespace: 'ops' })])[0] as KubeObject;
    const managedFields = [entry({ 'f:data': { 'f:x': {} } })];
    const finalizers = ['example.com/hold'];
    expect(keptByMaker(config, live(config, { managedFields, finalizers }))).toEqual({ finalizers, fields: [] });
  });
});
