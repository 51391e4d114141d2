import { afterEach, describe, expect, test } from 'vitest';
import { ReasonedError } from '../api/errors.ts';
import type { KubeObject } from '../api/object.ts';
import { buildImage, pushImage } from '../oci/build.ts';
import { startFakeRegistry, type FakeRegistry } from '../oci/testing/fake-registry.ts';
import { parseReference } from '../oci/reference.ts';
import { createRegistry } from '../oci/registry.ts';
import { createFakeCertificate } from '../kube/testing/fake-certificate.ts';
import { createRegistries, type Registries } from './registries.ts';
import { policiesOf, type Written } from './testing/policies.ts';

const NAMESPACE = 'slipway-system';
const USER = { username: 'reader', password: 'sesame' };

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** A registry that requires USER, and the manager's view of the Secret `login`, which tests replace. */
async function startScene() {
  const fake = await startFakeRegistry({ auth: { kind: 'basic', ...USER } });
  stops.push(() => fake.close());
  await pushSomething(fake);
  const scene = { now: 0, secret: undefined as Secret | undefined, read: [] as unknown[] };
  const registries = createRegistries({
    namespace: NAMESPACE,
    now: () => scene.now,
    cluster: {
      get: (id) => {
        scene.read.push(id);
        return Promise.resolve(scene.secret as KubeObject | undefined);
      },
    },
  });
  stops.push(() => registries('login').close());
  /** The registry's answer: `found`, or the reason of the error. */
  const ask = (pullSecret: string | undefined = 'login'): Promise<string> => outcomeOf(registries, fake, pullSecret);
  return { scene, fake, registries, ask };
}

interface Secret {
  readonly data?: Readonly<Record<string, string>>;
}

async function pushSomething(fake: FakeRegistry): Promise<void> {
  const author = createRegistry({ credentials: () => ({ kind: 'basic', ...USER }) });
  stops.push(() => author.close());
  await pushImage(author, fake.reference('team/app:v1'), buildImage({ files: new Map(), labels: {} }));
}

async function outcomeOf(registries: Registries, fake: FakeRegistry, pullSecret: string | undefined): Promise<string> {
  try {
    await registries(pullSecret).resolve(fake.reference('team/app:v1'));
    return 'found';
  } catch (error) {
    if (error instanceof ReasonedError) return error.reason;
    throw error;
  }
}

function encode(content: unknown): string {
  return Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)).toString('base64');
}

function secretFor({ host }: FakeRegistry, password = USER.password): Secret {
  return { data: { '.dockerconfigjson': encode({ auths: { [host]: { ...USER, password } } }) } };
}

describe('a pull secret', () => {
  test('a pull secret opens the registry that it is for, and is read from the namespace of the manager', async () => {
    const { scene, fake, ask } = await startScene();
    scene.secret = secretFor(fake);
    expect(await ask()).toBe('found');
    expect(scene.read[0]).toEqual({ apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE, name: 'login' });
  });

  test('a pull secret of the older type opens its registry too', async () => {
    const { scene, fake, ask } = await startScene();
    scene.secret = { data: { '.dockercfg': encode({ [fake.host]: USER }) } };
    expect(await ask()).toBe('found');
  });

  test('a pull secret that no Catalog names is not read', async () => {
    const { scene, fake, registries } = await startScene();
    scene.secret = secretFor(fake);
    stops.push(() => registries(undefined).close());
    expect(await outcomeOf(registries, fake, undefined)).toBe('RegistryDenied');
    expect(scene.read).toEqual([]);
  });

  test('a pull secret is read once for as long as it is fresh', async () => {
    const { scene, fake, ask } = await startScene();
    scene.secret = secretFor(fake);
    for (const now of [0, 10_000, 30_000]) {
      scene.now = now;
      expect(await ask()).toBe('found');
    }
    expect(scene.read).toHaveLength(1);
  });

  test('a pull secret that the registry rejected is read again at the next attempt', async () => {
    const { scene, fake, ask } = await startScene();
    scene.secret = secretFor(fake, 'wrong');
    expect(await ask()).toBe('RegistryDenied');
    expect(await ask()).toBe('RegistryDenied');
    scene.secret = secretFor(fake);
    expect(await ask()).toBe('found');
    expect(scene.read).toHaveLength(3);
  });

  test('a pull secret without an entry for the registry is read again, too', async () => {
    const { scene, fake, ask } = await startScene();
    scene.secret = { data: { '.dockerconfigjson': encode({ auths: {} }) } };
    expect(await ask()).toBe('RegistryDenied');
    scene.secret = secretFor(fake);
    expect(await ask()).toBe('found');
  });

  test('a valid pull secret is not read again because an image does not exist', async () => {
    const { scene, fake, registries, ask } = await startScene();
    scene.secret = secretFor(fake);
    expect(await ask()).toBe('found');
    await expect(registries('login').resolve(fake.reference('team/app:v9'))).rejects.toMatchObject({
      reason: 'ImageNotFound',
    });
    expect(await ask()).toBe('found');
    expect(scene.read).toHaveLength(1);
  });

  test('a deleted pull secret is noticed half a minute later', async () => {
    const { scene, fake, ask } = await startScene();
    scene.secret = secretFor(fake);
    expect(await ask()).toBe('found');
    scene.secret = undefined;
    scene.now = 30_001;
    expect(await ask()).toBe('PullSecretInvalid');
  });

  test.each([
    { because: 'it does not exist', secret: undefined, says: 'Secret slipway-system/login does not exist' },
    { because: 'it is of another type', secret: { data: { password: 'eA==' } }, says: 'has no .dockerconfigjson' },
    { because: 'it is empty', secret: {}, says: 'has no .dockerconfigjson' },
    { because: 'it is no JSON', secret: { data: { '.dockerconfigjson': encode('{') } }, says: 'it is not JSON' },
    {
      because: 'an entry has another form',
      secret: { data: { '.dockerconfigjson': encode({ auths: { 'registry.example': 'user:password' } }) } },
      says: 'its entries are not objects',
    },
  ])(
    'an invalid pull secret is named in the error if $because, and a corrected one counts at once',
    async ({ secret, says }) => {
      const { scene, fake, registries, ask } = await startScene();
      scene.secret = secret;
      const error = await registries('login')
        .resolve(fake.reference('team/app:v1'))
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ reason: 'PullSecretInvalid', retry: 'backoff' });
      expect((error as ReasonedError).message).toContain('slipway-system/login');
      expect((error as ReasonedError).message).toContain(says);
      expect((error as ReasonedError).forTenants, 'the text for tenants').toMatch(
        /^the pull secret of the registry (?!.*login)/,
      );
      scene.secret = secretFor(fake);
      expect(await ask()).toBe('found');
    },
  );

  test('a pull secret does not open the registry for a Catalog that names another one', async () => {
    const { scene, fake, registries, ask } = await startScene();
    scene.secret = secretFor(fake);
    expect(await ask()).toBe('found');
    scene.secret = undefined;
    stops.push(() => registries('other').close());
    expect(await ask('other')).toBe('PullSecretInvalid');
    expect(await ask()).toBe('found');
  });
});

test('calls with the same pull secret share a client', () => {
  const registries = createRegistries({ namespace: NAMESPACE, cluster: { get: () => Promise.resolve(undefined) } });
  stops.push(() => registries('one').close());
  expect(registries('one')).toBe(registries('one'));
  expect(registries('one')).not.toBe(registries('two'));
});

describe('under RegistryPolicies', () => {
  /** Two registries with the same image, of which the first requires USER, and the outcome of asking the first. */
  async function startPair() {
    const [origin, mirror] = [await startFakeRegistry({ auth: { kind: 'basic', ...USER } }), await startFakeRegistry()];
    stops.push(
      () => origin.close(),
      () => mirror.close(),
    );
    for (const one of [origin, mirror]) await pushSomething(one);
    const objects = new Map<string, unknown>([['login', secretFor(origin)]]);
    const ask = async (written: Written, pullSecret?: string): Promise<string> => {
      const registries = createRegistries({
        namespace: NAMESPACE,
        policies: policiesOf(written),
        cluster: { get: ({ name }) => Promise.resolve(objects.get(name) as KubeObject | undefined) },
      });
      stops.push(() => registries(pullSecret).close());
      return outcomeOf(registries, origin, pullSecret);
    };
    return { origin, mirror, objects, ask };
  }

  test('a policy opens its registry for each Catalog, and no other registry', async () => {
    const { origin, ask } = await startPair();
    expect(await ask({ team: { prefix: `${origin.host}/team`, pullSecret: { name: 'login' } } })).toBe('found');
    expect(await ask({ team: { prefix: `${origin.host}/other`, pullSecret: { name: 'login' } } })).toBe(
      'RegistryDenied',
    );
  });

  test('the pull secret of the Catalog comes first, and that of the policy if it has no entry', async () => {
    const { origin, objects, ask } = await startPair();
    const policy = { team: { prefix: origin.host, pullSecret: { name: 'login' } } };
    objects.set('own', secretFor(origin, 'wrong'));
    expect(await ask(policy, 'own')).toBe('RegistryDenied');
    objects.set('own', { data: { '.dockerconfigjson': encode({ auths: {} }) } });
    expect(await ask(policy, 'own')).toBe('found');
  });

  test('a missing Secret of a policy is reported by its name', async () => {
    const { origin, ask } = await startPair();
    expect(await ask({ team: { prefix: origin.host, pullSecret: { name: 'gone' } } })).toBe('PullSecretInvalid');
  });

  test('mirrors are asked in order, and with source Never the registry itself is not', async () => {
    const { origin, mirror, ask } = await startPair();
    const places = [{ prefix: `${mirror.host}/nothing` }, { prefix: `${mirror.host}/team` }];
    const asked = origin.requests.length;
    expect(await ask({ team: { prefix: `${origin.host}/team`, mirrors: places } })).toBe('found');
    const empty = { prefix: `${origin.host}/team`, mirrors: [{ prefix: `${mirror.host}/nothing` }] };
    expect(await ask({ team: { ...empty, source: 'Never' } })).toBe('ImageNotFound');
    expect(origin.requests.length).toBe(asked);
    expect(await ask({ team: empty })).toBe('RegistryDenied');
  });

  test('a mirror is opened by the policy over the mirror, not by that over the source', async () => {
    const { origin, objects } = await startPair();
    const far = { prefix: 'far.example/team', mirrors: [{ prefix: `${origin.host}/team` }], source: 'Never' } as const;
    const outcome = (written: Written): Promise<string> => {
      const registries = createRegistries({
        namespace: NAMESPACE,
        policies: policiesOf(written),
        cluster: { get: ({ name }) => Promise.resolve(objects.get(name) as KubeObject | undefined) },
      });
      stops.push(() => registries(undefined).close());
      return registries(undefined)
        .resolve(parseReference('far.example/team/app:v1'))
        .then(
          () => 'found',
          (error: ReasonedError) => error.reason,
        );
    };
    const login = { pullSecret: { name: 'login' } };
    expect(await outcome({ far: { ...far, ...login } })).toBe('RegistryDenied');
    expect(await outcome({ far, near: { prefix: origin.host, ...login } })).toBe('found');
  });

  test('a policy that cannot be used refuses before any request', async () => {
    const { origin, ask } = await startPair();
    const asked = origin.requests.length;
    expect(await ask({ a: { prefix: origin.host }, b: { prefix: origin.host } })).toBe('RegistryPolicyInvalid');
    expect(origin.requests.length).toBe(asked);
  });

  test('a registry with an authority of its own is trusted by the certificates of the policy', async () => {
    const tls = await createFakeCertificate();
    const fake = await startFakeRegistry({ tls });
    stops.push(() => fake.close());
    const objects = new Map<string, unknown>([['ca', { data: { 'ca.crt': tls.cert } }]]);
    const outcome = (written: Written): Promise<string> => {
      const registries = createRegistries({
        namespace: NAMESPACE,
        policies: policiesOf(written),
        registry: { plainHttp: () => false },
        cluster: { get: ({ name }) => Promise.resolve(objects.get(name) as KubeObject | undefined) },
      });
      stops.push(() => registries(undefined).close());
      return outcomeOf(registries, fake, undefined);
    };
    expect(await outcome({})).toBe('RegistryUnavailable');
    const policy = { team: { prefix: fake.host, certificateAuthority: { name: 'ca' } } };
    expect(await outcome(policy)).toBe('ImageNotFound');
    objects.delete('ca');
    expect(await outcome(policy)).toBe('RegistryPolicyInvalid');
  });

  test('an insecure registry is spoken to without TLS', async () => {
    const { mirror } = await startPair();
    const registries = createRegistries({
      namespace: NAMESPACE,
      policies: policiesOf({ team: { prefix: `${mirror.host}/team`, insecure: true } }),
      registry: { plainHttp: () => false },
      cluster: { get: () => Promise.resolve(undefined) },
    });
    stops.push(() => registries(undefined).close());
    expect(await outcomeOf(registries, mirror, undefined)).toBe('found');
  });
});
