import type { LookupFunction } from 'node:net';
import { describe, expect, test } from 'vitest';
import { guardedLookup, mayReach, outOfBounds, type Reach, reachOf, sharedLookup, SYSTEM_NETWORK } from './address.ts';

describe('where an address lies', () => {
  test.each([
    ['8.8.8.8', 'public'],
    ['2606:4700::1111', 'public'],
    ['127.0.0.1', 'loopback'],
    ['127.9.9.9', 'loopback'],
    ['0.0.0.0', 'loopback'],
    ['::1', 'loopback'],
    ['::', 'loopback'],
    ['169.254.169.254', 'linkLocal'],
    ['fe80::1', 'linkLocal'],
    ['fe80::1%eth0', 'linkLocal'],
    ['fd00:ec2::254', 'linkLocal'],
    ['fd20:ce::254', 'linkLocal'],
    ['100.100.100.200', 'linkLocal'],
    ['168.63.129.16', 'linkLocal'],
    ['::ffff:169.254.169.254', 'linkLocal'],
    ['::ffff:0:169.254.169.254', 'linkLocal'],
    ['64:ff9b:1:a9fe:a9:fe00::', 'private'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.32.0.1', 'public'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['224.0.0.1', 'private'],
    ['255.255.255.255', 'private'],
    ['fd12:3456::1', 'private'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['::ffff:10.0.0.1', 'private'],
    ['::127.0.0.1', 'loopback'],
    ['64:ff9b::a9fe:a9fe', 'linkLocal'],
    ['2002:7f00:1::', 'loopback'],
    ['[::1]', 'loopback'],
  ] as const)('%s is %s', (address, reach) => {
    expect(reachOf(address)).toBe(reach);
  });

  test.each([
    ['http://2130706433/', 'decimal'],
    ['http://0x7f000001/', 'hexadecimal'],
    ['http://0177.0.0.1/', 'octal'],
    ['http://127.1/', 'shortened'],
    ['http://127。0。0。1/', 'with other dots'],
    ['http://[::ffff:127.0.0.1]/', 'mapped'],
    ['http://127.0.0.1./', 'with a dot at its end'],
  ])('%s is loopback, written %s', (url) => {
    expect(reachOf(new URL(url).hostname)).toBe('loopback');
  });

  test.each([
    ['public', 'public', true],
    ['public', 'private', false],
    ['public', 'loopback', false],
    ['public', 'linkLocal', false],
    ['private', 'public', true],
    ['private', 'private', true],
    ['private', 'loopback', false],
    ['private', 'linkLocal', false],
    ['loopback', 'loopback', true],
    ['loopback', 'private', true],
    ['loopback', 'linkLocal', false],
  ] as const)('a registry that is %s may lead to one that is %s: %s', (from, to, allowed) => {
    expect(mayReach(from, to)).toBe(allowed);
  });
});

const guard = (from: Reach) =>
  guardedLookup({ admits: (reach) => mayReach(from, reach), refusal: outOfBounds }, SYSTEM_NETWORK);

const resolve = (from: Reach, options: object = {}) =>
  new Promise((done, fail) => {
    guard(from)('localhost', options, (error, address) => (error === null ? done(address) : fail(error)));
  });

describe('a guarded resolver', () => {
  test('a guarded resolver returns an address within bounds', async () => {
    expect(reachOf((await resolve('loopback')) as string)).toBe('loopback');
    expect(await resolve('loopback', { all: true })).toContainEqual(expect.objectContaining({ family: 4 }));
  });

  test.each(['public', 'private', 'linkLocal'] as const)(
    'a guarded resolver refuses a name that leads to loopback from %s',
    async (from) => {
      await expect(resolve(from)).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
      await expect(resolve(from, { all: true })).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
    },
  );

  test('a guarded resolver passes on that a name is unknown', async () => {
    const unknown = new Promise((done, fail) => {
      guard('public')('registry.invalid', {}, (error) => (error === null ? done(undefined) : fail(error)));
    });
    await expect(unknown).rejects.toMatchObject({ code: expect.stringMatching(/^E/) as string });
  });
});

test('all that ask for a name at the same time share one look-up, and those after it make another', () => {
  const asked: { readonly hostname: string; readonly answer: Parameters<LookupFunction>[2] }[] = [];
  const lookup = sharedLookup((hostname, _options, answer) => void asked.push({ hostname, answer }));
  const answers: string[] = [];
  const ask = (who: string, hostname: string): void =>
    lookup(
      hostname,
      { all: true },
      (error, found) => void answers.push(`${who} ${error?.code ?? JSON.stringify(found)}`),
    );
  ask('a', 'silent.example');
  ask('b', 'silent.example');
  ask('c', 'other.example');
  expect(asked.map(({ hostname }) => hostname)).toEqual(['silent.example', 'other.example']);
  asked[0]?.answer(Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' }), []);
  expect(answers).toEqual(['a EAI_AGAIN', 'b EAI_AGAIN']);
  ask('d', 'silent.example');
  asked[2]?.answer(null, [{ address: '192.0.2.1', family: 4 }]);
  expect(answers.at(-1)).toBe('d [{"address":"192.0.2.1","family":4}]');
});
