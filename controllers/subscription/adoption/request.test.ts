import { describe, expect, test } from 'vitest';
import type { Adoption } from '../../../api/subscription-status.ts';
import { subscription } from '../testing/facts.ts';
import { adoptionRequest, type AdoptionRequest } from './request.ts';

const adopt = { from: 'OLMv0', subscription: 'gadget' };
const backup = { namespace: 'slipway-system', name: 'slipway-adoption.ops.gadget' };
const adoption = (more: Partial<Adoption>): Adoption => ({
  subscription: 'gadget',
  stage: 'Preparing',
  step: 'BackUp',
  ...more,
});
const installed = {
  bundle: 'gadget.v1',
  version: '1.0.0',
  image: 'registry.example/gadget@sha256:0',
  catalog: 'main',
  revision: 'gadget-1',
};
const adopted = {
  type: 'Adopted',
  status: 'True',
  reason: 'Adopted',
  message: '',
  lastTransitionTime: '2026-05-01T11:00:00Z',
} as const;

describe('an adoption', () => {
  test.each<{ because: string; spec?: object; status?: object; expected: AdoptionRequest }>([
    { because: 'the Subscription does not ask for one', expected: { kind: 'none' } },
    {
      because: 'it is asked for',
      spec: { adopt },
      expected: { kind: 'adopt', operator: { from: 'OLMv0', name: 'gadget' } },
    },
    {
      because: 'nothing was done yet and the field names another operator now',
      spec: { adopt: { ...adopt, subscription: 'lamp' } },
      status: { adoption: adoption({}) },
      expected: { kind: 'adopt', operator: { from: 'OLMv0', name: 'lamp' } },
    },
    {
      because: 'nothing was done yet and the field was taken out',
      status: { adoption: adoption({}) },
      expected: { kind: 'none' },
    },
    {
      because: 'it has begun, and the field was taken out since',
      status: { adoption: adoption({ backup }) },
      expected: { kind: 'adopt', operator: { from: 'OLMv0', name: 'gadget' } },
    },
    {
      because: 'it has begun, and the field names another operator since',
      spec: { adopt: { ...adopt, subscription: 'lamp' } },
      status: { adoption: adoption({ backup, stage: 'TakingOver' }), installed },
      expected: { kind: 'adopt', operator: { from: 'OLMv0', name: 'gadget' } },
    },
    {
      because: 'it is asked for by the name of a ClusterExtension',
      spec: { adopt: { from: 'OLMv1', clusterExtension: 'gadget' } },
      expected: { kind: 'adopt', operator: { from: 'OLMv1', name: 'gadget' } },
    },
    {
      because: 'that of a ClusterExtension has begun, and the field names an operator of OLM v0 since',
      spec: { adopt },
      status: { adoption: { clusterExtension: 'lamp', stage: 'Preparing', step: 'Hold', backup } },
      expected: { kind: 'adopt', operator: { from: 'OLMv1', name: 'lamp' } },
    },
    {
      because: 'that of a ClusterExtension is over',
      spec: { adopt: { from: 'OLMv1', clusterExtension: 'gadget' } },
      status: {
        adoption: { clusterExtension: 'gadget', stage: 'HandedOver', step: 'Done', backup },
        installed,
        conditions: [adopted],
      },
      expected: { kind: 'none' },
    },
    {
      because: 'the backup has to say that it is over',
      spec: { adopt },
      status: { adoption: adoption({ backup, stage: 'HandedOver' }), installed },
      expected: { kind: 'adopt', operator: { from: 'OLMv0', name: 'gadget' } },
    },
    {
      because: 'it is over',
      spec: { adopt },
      status: { adoption: adoption({ backup, stage: 'HandedOver' }), installed, conditions: [adopted] },
      expected: { kind: 'none' },
    },
    {
      because: 'the Subscription has installed an operator by itself',
      spec: { adopt },
      status: { installed },
      expected: { kind: 'pointless' },
    },
  ])('$expected.kind, because $because', ({ spec = {}, status = {}, expected }) => {
    expect(adoptionRequest(subscription({ spec, status }))).toEqual(expected);
  });
});
