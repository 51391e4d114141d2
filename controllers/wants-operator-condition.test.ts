import { describe, expect, test } from 'vitest';
import { makeBundle } from '../bundles/testing/bundle.ts';
import { configHash } from './config-hash.ts';
import { subscription } from './subscription/testing/facts.ts';
import { servesOperatorConditions, wantsOperatorCondition } from './wants-operator-condition.ts';

const OWN = { apiGroups: ['operators.coreos.com'], resources: ['operatorconditions'], verbs: ['get', 'update'] };
const using = makeBundle({ permissions: [{ serviceAccountName: 'gadget', rules: [OWN] }] });
const plain = makeBundle();
const saying = (operatorCondition: string): ReturnType<typeof subscription> =>
  subscription({ spec: { operatorCondition } });

describe('an operator gets an OperatorCondition', () => {
  test.each([
    { of: subscription(), bundle: using, served: true, wanted: true, because: 'it uses one and the kind is served' },
    { of: subscription(), bundle: using, served: false, wanted: false, because: 'the cluster has no such kind' },
    { of: subscription(), bundle: plain, served: true, wanted: false, because: 'nothing shows that it uses one' },
    { of: saying('Always'), bundle: plain, served: false, wanted: true, because: 'the Subscription asks for one' },
    { of: saying('Never'), bundle: using, served: true, wanted: false, because: 'the Subscription wants none' },
    { of: saying('Auto'), bundle: using, served: true, wanted: true, because: 'an absent field counts as Auto' },
  ])('$wanted, because $because', ({ of, bundle, served, wanted }) => {
    expect(wantsOperatorCondition(of, bundle, served)).toBe(wanted);
  });

  test.each([
    {
      kind: { group: 'operators.coreos.com', version: 'v2', kind: 'OperatorCondition' },
      served: true,
      because: 'it is the kind',
    },
    {
      kind: { group: 'operators.coreos.com', version: 'v1', kind: 'OperatorCondition' },
      served: false,
      because: 'OLM is too old',
    },
    {
      kind: { group: 'other.example', version: 'v2', kind: 'OperatorCondition' },
      served: false,
      because: 'the group is another',
    },
  ])('the kind is served: $served, as $because', ({ kind, served }) => {
    expect(servesOperatorConditions([kind])).toBe(served);
  });
});

describe('the hash of a configuration', () => {
  test('stays as releases without the field wrote it, so that no Revision is made again', () => {
    expect(configHash(saying('Auto'))).toBe(configHash({ spec: { certificates: 'Manager' } } as never));
  });

  test('changes with another choice', () => {
    const hashes = ['Auto', 'Always', 'Never'].map((one) => configHash(saying(one)));
    expect(new Set(hashes).size).toBe(3);
  });
});
