/** The part that a Subscription of Slipway takes in a hand-over, by its spec and its status. */
import { describe, expect, test } from 'vitest';
import { API_VERSION } from '../api/names.ts';
import type { KubeObject } from '../api/object.ts';
import { successorOf, type AdoptedOperator } from './successor.ts';

const V0: AdoptedOperator = { from: 'OLMv0', name: 'gadget' };
const V1: AdoptedOperator = { from: 'OLMv1', name: 'gadget' };
const metadata = { name: 'gadget', namespace: 'ops' };
const live = (spec: object, adoption?: object): KubeObject => ({
  apiVersion: API_VERSION,
  kind: 'Subscription',
  metadata,
  spec,
  ...(adoption !== undefined && { status: { adoption } }),
});
const ADOPTS = { adopt: { from: 'OLMv1', clusterExtension: 'gadget' } };

describe('in a hand-over', () => {
  test.each<{
    because: string;
    object: KubeObject | undefined;
    operator?: AdoptedOperator;
    takesPart: boolean;
    isPinned: boolean;
  }>([
    { because: 'there is none', object: undefined, takesPart: false, isPinned: false },
    { because: 'its spec names the version', object: live({ version: '1.0.0' }), takesPart: true, isPinned: true },
    { because: 'its spec names a range', object: live({ version: '1.x' }), takesPart: true, isPinned: false },
    { because: 'it adopts, and nothing has begun', object: live(ADOPTS), takesPart: false, isPinned: false },
    {
      because: 'it adopts, and its spec names the version too early',
      object: live({ ...ADOPTS, version: '1.0.0' }),
      takesPart: false,
      isPinned: false,
    },
    {
      because: 'its status has it take over',
      object: live(ADOPTS, { clusterExtension: 'gadget', stage: 'TakingOver' }),
      takesPart: true,
      isPinned: true,
    },
    {
      because: 'its status has freed it',
      object: live({ ...ADOPTS, version: '1.0.0' }, { clusterExtension: 'gadget', stage: 'HandedOver' }),
      takesPart: true,
      isPinned: false,
    },
    {
      because: 'it adopts an operator of the other version of OLM',
      object: live(ADOPTS),
      operator: V0,
      takesPart: true,
      isPinned: false,
    },
    {
      because: 'a release of before has written its status',
      object: live(
        { adopt: { from: 'OLMv0', subscription: 'gadget' } },
        { subscription: 'gadget', stage: 'TakingOver' },
      ),
      operator: V0,
      takesPart: true,
      isPinned: true,
    },
  ])('the Subscription takes part: $takesPart, pinned: $isPinned, because $because', (row) => {
    const { object, operator = V1, takesPart, isPinned } = row;
    expect(successorOf(object, operator, '1.0.0')).toEqual({ subscription: takesPart ? object : undefined, isPinned });
  });
});
