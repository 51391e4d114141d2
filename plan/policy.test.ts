import { describe, expect, test } from 'vitest';
import { UpgradePolicy } from '../api/upgrade-policy.ts';
import type { KubeObject } from '../api/object.ts';
import { sample } from '../apply/testing/sample-objects.ts';
import type { PlanInput } from './input.ts';
import { planChange } from './plan.ts';
import { judgePolicy } from './policy.ts';
import { boundRole, clusterBinding, DIGEST, side, upgrade, type SideParts } from './testing/sides.ts';

type Given = Partial<UpgradePolicy>;

function hits(policy: Given, input: PlanInput): readonly string[] {
  const whole = UpgradePolicy.parse(policy) as UpgradePolicy;
  return judgePolicy({ policy: whole, input, plan: planChange(input) }).map(
    ({ rule, message }) => `${rule}: ${message}`,
  );
}

const to = (version: string, parts: SideParts = {}): PlanInput => upgrade({}, { version, ...parts });
const SECRETS = { verbs: ['get', 'list'], apiGroups: [''], resources: ['secrets'] };
const PODS = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const more = (...rules: readonly object[]): SideParts => ({ more: boundRole(rules) });

describe('the growth of the version', () => {
  test.each([
    { because: 'a patch', automatic: 'Patch', version: '1.0.1', waits: false },
    { because: 'a minor version', automatic: 'Patch', version: '1.1.0', waits: true },
    { because: 'a minor version', automatic: 'Minor', version: '1.1.0', waits: false },
    { because: 'a major version', automatic: 'Minor', version: '2.0.0', waits: true },
    { because: 'a major version', automatic: 'Major', version: '2.0.0', waits: false },
    {
      because: 'a lower version is no growth that a person allowed',
      automatic: 'Major',
      version: '0.9.0',
      waits: true,
    },
    {
      because: 'a pre-release of the installed version is lower',
      automatic: 'Patch',
      version: '1.0.0-rc.1',
      waits: true,
    },
    { because: 'it cannot be compared, and not known is not "no"', automatic: 'Major', version: 'latest', waits: true },
    { because: 'every upgrade may start', automatic: 'All', version: 'latest', waits: false },
    { because: 'every upgrade may start', automatic: 'All', version: '0.9.0', waits: false },
  ] as const)(
    '$automatic and 1.0.0 → $version waits: $waits, since it is $because',
    ({ automatic, version, waits }) => {
      expect(hits({ automatic }, to(version))).toHaveLength(waits ? 1 : 0);
    },
  );

  test('a hit names both versions and the limit', () => {
    expect(hits({ automatic: 'Minor' }, to('2.0.0'))).toEqual([
      'automatic: 1.0.0 → 2.0.0 is a major upgrade, and up to Minor start by themselves',
    ]);
  });
});

describe('rights', () => {
  const MAY_NOT = { rights: 'MayNotGrow' } as const;

  test('the same rights by another role are no growth', () => {
    const before = { more: boundRole([SECRETS], { name: 'old' }) };
    expect(hits(MAY_NOT, upgrade(before, { more: boundRole([SECRETS], { name: 'new' }) }))).toEqual([]);
  });

  test('a right that the operator lacks today is named in words', () => {
    expect(hits(MAY_NOT, to('1.0.1', more(SECRETS)))).toEqual([
      expect.stringContaining('rights: the operator may read Secrets in every namespace') as string,
    ]);
  });

  test.each([
    { because: 'the rule itself is allowed', allowed: [SECRETS], waits: false },
    {
      because: 'a wider rule is allowed',
      allowed: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      waits: false,
    },
    { because: 'only one of its verbs is allowed', allowed: [{ ...SECRETS, verbs: ['get'] }], waits: true },
    { because: 'it is allowed in one namespace only', allowed: [{ ...SECRETS, namespaces: ['ops'] }], waits: true },
    { because: 'it is allowed for one name only', allowed: [{ ...SECRETS, resourceNames: ['a'] }], waits: true },
    { because: 'another resource is allowed', allowed: [PODS], waits: true },
  ])('waits: $waits, since $because', ({ allowed, waits }) => {
    expect(hits({ ...MAY_NOT, allowedRights: allowed }, to('1.0.1', more(SECRETS)))).toHaveLength(waits ? 1 : 0);
  });

  test.each([
    {
      because: 'the rule is another one, with the same number of combinations',
      before: 'Aa',
      after: 'BB',
      waits: true,
    },
    { because: 'the rule is the same', before: 'Aa', after: 'Aa', waits: false },
  ])('of more combinations than can be compared wait: $waits, since $because', ({ before, after, waits }) => {
    const many = Array.from({ length: 60 }, (_, at) => `r${at}`);
    const huge = (last: string): SideParts => more({ verbs: many, apiGroups: many, resources: [...many, last] });
    const given = hits({ ...MAY_NOT, allowedRights: [{ ...PODS, verbs: many }] }, upgrade(huge(before), huge(after)));
    expect(given).toHaveLength(waits ? 1 : 0);
  });

  test('only the rights beyond the allowed ones are named', () => {
    const given = hits({ ...MAY_NOT, allowedRights: [PODS] }, to('1.0.1', more(SECRETS, PODS)));
    expect(given).toHaveLength(1);
    expect(given[0]).toContain('Secrets');
  });

  test('a role whose rules are not known is beyond every allowed rule', () => {
    const allowed = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
    const input = to('1.0.1', { more: [clusterBinding('monitoring')] });
    expect(hits({ ...MAY_NOT, allowedRights: allowed }, input)).toHaveLength(1);
  });
});

describe('registries', () => {
  const image = (reference: string): PlanInput => to('1.0.1', { image: reference });

  test.each([
    {
      because: 'the registry is listed',
      registries: ['registry.example'],
      reference: `registry.example/a@${DIGEST}`,
      waits: false,
    },
    {
      because: 'the repository is in a listed one',
      registries: ['registry.example/team'],
      reference: 'registry.example/team/a:v2',
      waits: false,
    },
    {
      because: 'the name only begins alike',
      registries: ['registry.example/team'],
      reference: 'registry.example/teams/a:v2',
      waits: true,
    },
    {
      because: 'the host only begins alike',
      registries: ['registry.example'],
      reference: 'registry.example.org/a:v2',
      waits: true,
    },
    {
      because: 'the image has the usual port, which names the same registry',
      registries: ['registry.example/team'],
      reference: 'Registry.example.:443/team/a:v2',
      waits: false,
    },
    {
      because: 'the policy has the usual port and a slash at the end',
      registries: ['registry.example:443/team/'],
      reference: 'registry.example/team/a:v2',
      waits: false,
    },
    {
      because: 'the policy has another name of that of Docker',
      registries: ['index.docker.io/library'],
      reference: 'nginx',
      waits: false,
    },
    {
      because: 'another port is another registry',
      registries: ['registry.example'],
      reference: 'registry.example:8443/a:v2',
      waits: true,
    },
    {
      because: 'no registry is named, so it is that of Docker',
      registries: ['registry.example'],
      reference: 'a:v2',
      waits: true,
    },
    {
      because: 'the reference cannot be read',
      registries: ['registry.example'],
      reference: 'registry.example/UPPER',
      waits: true,
    },
  ])('$reference waits: $waits, since $because', ({ registries, reference, waits }) => {
    expect(hits({ registries }, image(reference))).toHaveLength(waits ? 1 : 0);
  });

  test('an image that is installed already is not judged', () => {
    expect(hits({ registries: ['other.example'] }, to('1.0.1'))).toEqual([]);
  });
});

describe('signatures, CRDs and the way back', () => {
  const claim: KubeObject = sample('v1', 'PersistentVolumeClaim', 'data', { spec: {} });

  test.each([
    { because: 'no signature is known', policy: { unsignedBundles: 'Wait' }, input: to('1.0.1'), waits: true },
    {
      because: 'the signature is trusted',
      policy: { unsignedBundles: 'Wait' },
      input: { ...to('1.0.1'), to: { ...side({ version: '1.0.1' }), signedBy: 'key release' } },
      waits: false,
    },
    {
      because: 'data is deleted',
      policy: { irreversible: 'Wait' },
      input: upgrade({ more: [claim] }, {}),
      waits: true,
    },
    {
      because: 'data may be deleted',
      policy: { irreversible: 'Proceed' },
      input: upgrade({ more: [claim] }, {}),
      waits: false,
    },
  ] as const)('waits: $waits, since $because', ({ policy, input, waits }) => {
    const facts = { existing: new Map<string, 'absent'>() };
    expect(hits(policy, { ...input, facts })).toHaveLength(waits ? 1 : 0);
  });

  test.each(['unsafeCRDs', 'irreversible'] as const)('a fact that is not known hits %s', (rule) => {
    const created = to('1.0.1', { more: [sample('v1', 'ConfigMap', 'new', {})] });
    expect(hits({ [rule]: 'Wait' }, created)).toEqual([
      `${rule}: it is not known whether objects that are to be created exist already (NotKnown)`,
    ]);
  });

  test('a policy that no upgrade can satisfy holds each of them, and every rule is named with its fact', () => {
    const policy: Given = {
      automatic: 'Patch',
      rights: 'MayNotGrow',
      registries: ['nowhere.example'],
      unsignedBundles: 'Wait',
      unsafeCRDs: 'Wait',
      irreversible: 'Wait',
    };
    const image = `registry.example/other@${DIGEST}`;
    const given = to('1.1.0', { ...more(SECRETS), image });
    expect(hits(policy, given).map((hit) => hit.split(':')[0])).toEqual([
      'automatic',
      'rights',
      'registries',
      'unsignedBundles',
      'unsafeCRDs',
      'irreversible',
    ]);
    expect(hits(policy, given)[2]).toContain('nowhere.example');
  });

  test('an empty policy asks for a plan, and permits every upgrade', () => {
    expect(hits({}, to('9.0.0', more(SECRETS)))).toEqual([]);
  });
});
