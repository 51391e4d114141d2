import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { publicPem } from '../signatures/testing/instance.ts';
import { pullPlaces } from '../oci/mirrors.ts';
import { mirrorsOf, type ImagePolicy } from './registry-policies.ts';
import { demandsOn } from './signature-demands.ts';
import { policiesOf, type Written } from './testing/policies.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = { name: 'release', pem: publicPem(privateKey) };
const signed = { keys: [key] };
const login = { name: 'login' };

describe('the policy over an image', () => {
  test.each<{ because: string; written: Written; image?: string; holds: object }>([
    { because: 'no policy exists', written: {}, holds: {} },
    {
      because: 'its registry has one',
      written: { a: { prefix: 'quay.io', insecure: true } },
      holds: { insecure: true },
    },
    { because: 'half a name is no prefix', written: { a: { prefix: 'quay.io/te', insecure: true } }, holds: {} },
    {
      because: 'the whole name is one',
      written: { a: { prefix: 'quay.io/team/app', insecure: true } },
      holds: { insecure: true },
    },
    {
      because: 'other registries have others',
      written: { a: { prefix: 'quay.io.example', insecure: true } },
      holds: {},
    },
    {
      because: 'the longest prefix wins',
      written: {
        a: { prefix: 'quay.io/team', pullSecret: { name: 'near' } },
        b: { prefix: 'quay.io', pullSecret: login },
      },
      holds: { pullSecret: 'near' },
    },
    {
      because: 'a longer prefix that says nothing of a field leaves that of the shorter one in force',
      written: { a: { prefix: 'quay.io/team', pullSecret: login }, b: { prefix: 'quay.io', insecure: true } },
      holds: { pullSecret: 'login', insecure: true },
    },
    {
      because: 'a false value is a value',
      written: { a: { prefix: 'quay.io/team', insecure: false }, b: { prefix: 'quay.io', insecure: true } },
      holds: { insecure: false },
    },
    {
      because: 'the source of mirrors belongs to them',
      written: {
        a: { prefix: 'quay.io/team', mirrors: [{ prefix: 'near.example' }] },
        b: { prefix: 'quay.io', mirrors: [{ prefix: 'far.example' }], source: 'Never' },
      },
      holds: { mirrors: { prefix: 'quay.io/team', places: ['near.example'], thenSource: true } },
    },
    {
      because: 'a registry with several names is meant by each',
      written: { a: { prefix: 'registry-1.docker.io/library', insecure: true } },
      image: 'docker.io/library/nginx',
      holds: { insecure: true },
    },
  ])('$because', ({ written, image = 'quay.io/team/app', holds }) => {
    expect(policiesOf(written).over(image)).toEqual(holds);
  });

  const SPELLINGS = ['quay.io', 'quay.io:443', 'quay.io:0443', 'quay.io.', 'Quay.IO', 'QUAY.io.:443'];
  test.each(SPELLINGS.flatMap((host) => ['quay.io', 'quay.io:443'].map((prefix) => ({ host, prefix }))))(
    'an image of $host is under a demand for $prefix, since both lead to the same registry',
    ({ host, prefix }) => {
      const policies = policiesOf({ a: { prefix: `${prefix}/team`, verify: signed } });
      const image = `${host}/team/app@sha256:${'a'.repeat(64)}`;
      expect(demandsOn(undefined, { image, content: 'Pods' }, policies)).toHaveLength(1);
    },
  );

  test('a mirror is connected to as the policy over its own name says, however the prefix is spelled', () => {
    const policies = policiesOf({
      a: { prefix: 'quay.io', mirrors: [{ prefix: 'mirror.example:443/quay' }] },
      b: { prefix: 'mirror.example', insecure: true },
    });
    const [{ registry, repository } = { registry: '', repository: '' }] = pullPlaces(
      { registry: 'quay.io', repository: 'team/app' },
      mirrorsOf(policies),
    );
    expect(policies.over(`${registry}/${repository}`)).toEqual({ insecure: true });
  });

  test('a policy for some images takes no demand for signatures away from the one for all', () => {
    const policies = policiesOf({
      all: { prefix: 'quay.io', verify: signed },
      some: { prefix: 'quay.io/team', insecure: true },
    });
    const { verify } = policies.over('quay.io/team/app') as Required<ImagePolicy>;
    expect(verify).toMatchObject({ enforcement: 'Enforce', keys: [{ name: 'release', transparencyLog: 'Require' }] });
  });
});

describe('images are refused under a policy that cannot be used', () => {
  const broken = { keys: [{ name: 'old', pem: '-----BEGIN PUBLIC KEY-----\n!!!\n-----END PUBLIC KEY-----' }] };

  test.each<{ because: string; written: Written; names: string }>([
    { because: 'a key cannot be parsed', written: { a: { prefix: 'quay.io/team', verify: broken } }, names: 'old' },
    {
      because: 'two policies have the same prefix, even if they agree',
      written: { a: { prefix: 'quay.io/team', verify: signed }, b: { prefix: 'quay.io/team', verify: signed } },
      names: 'RegistryPolicy b',
    },
    {
      because: 'two names of one registry are the same prefix',
      written: { a: { prefix: 'quay.io:443' }, b: { prefix: 'quay.io' } },
      names: 'RegistryPolicy b',
    },
    {
      because: 'the policy for the registry is broken, although the one for the image is not',
      written: { a: { prefix: 'quay.io', verify: broken }, b: { prefix: 'quay.io/team', verify: signed } },
      names: 'RegistryPolicy a',
    },
    {
      because: 'a field is of another type',
      written: { a: { prefix: 'quay.io', verify: 'all' } as never },
      names: 'spec.verify',
    },
    {
      because: 'the prefix is missing, and with it the images',
      written: { a: {} as never },
      names: 'RegistryPolicy a',
    },
  ])('$because', ({ written, names }) => {
    const refused = (): unknown => policiesOf(written).over('quay.io/team/app');
    expect(refused).toThrow(expect.objectContaining({ reason: 'RegistryPolicyInvalid', retry: 'backoff' }));
    expect(refused).toThrow(names);
    expect(refused).toThrow(
      expect.objectContaining({ forTenants: expect.stringMatching(/^(?!.*RegistryPolicy).*administrator/) as string }),
    );
  });

  test('images of other prefixes are not concerned', () => {
    const policies = policiesOf({ a: { prefix: 'quay.io/team', verify: broken } });
    expect(policies.over('quay.io/other/app')).toEqual({});
    expect(policies.over('quay.io/teams')).toEqual({});
  });
});
