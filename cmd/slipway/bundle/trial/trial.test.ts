import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../../api/object.ts';
import { ReasonedError } from '../../../../api/errors.ts';
import { makeBundle, makeFiles } from '../../../../bundles/testing/bundle.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../../oci/testing/fake-registry.ts';
import type { Environment } from '../../environment.ts';
import { useWorkplace } from '../../testing/slipway.ts';
import { offer } from './offer.ts';
import { junit, stepTable } from './report.ts';
import { lossOf, SampleFailure, samplesOf } from './samples.ts';
import { TrialFailure } from './scene.ts';
import { runSteps, Skipped } from './steps.ts';

const workplace = useWorkplace();
let registry: FakeRegistry;

const filesOf = (version: string) =>
  makeFiles({ metadata: { name: `gadget-operator.v${version}` }, spec: { version } });

beforeAll(async () => {
  registry = await startFakeRegistry();
  for (const version of ['1.0.0', '1.1.0', '1.2.0+7']) workplace().write(filesOf(version), version);
  for (const version of ['1.0.0', '1.1.0']) {
    for (const place of [`team/gadget:v${version}`, `team/gadget:${version}-other`, `other/gadget:v${version}`])
      expect((await workplace().run('bundle', 'push', version, `${registry.host}/${place}`, '--no-check')).code).toBe(
        0,
      );
  }
});
afterAll(() => registry.close());

const environment = (): Environment => ({
  variables: {},
  folder: workplace().folder,
  home: workplace().folder,
  temporary: workplace().folder,
  print: () => undefined,
  complain: () => undefined,
  readInput: async () => new Uint8Array(),
  signal: new AbortController().signal,
});
const image = (place: string): string => `${registry.host}/${place}`;

describe('the bundles of a trial', () => {
  test.each([
    {
      because: 'an image is tagged with its version',
      source: () => image('team/gadget:v1.1.0'),
      flags: () => ({}),
      repository: 'team/gadget',
      versions: ['1.1.0'],
    },
    {
      because: 'two images are in one repository',
      source: () => image('team/gadget:v1.1.0'),
      flags: () => ({ upgradeFrom: image('team/gadget:v1.0.0') }),
      repository: 'team/gadget',
      versions: ['1.0.0', '1.1.0'],
    },
    {
      because: 'a folder and an image of another repository are pushed to the one for the trial',
      source: () => '1.2.0+7',
      flags: () => ({ to: image('trial/gadget'), upgradeFrom: image('other/gadget:v1.0.0') }),
      repository: 'trial/gadget',
      versions: ['1.0.0', '1.2.0+7'],
    },
  ])('are offered by one repository: $because', async ({ source, flags, repository, versions }) => {
    const found = await offer(environment(), source(), flags());
    expect(found.repository).toBe(image(repository));
    expect(found.bundles.map(({ csv }) => csv.spec.version)).toEqual(versions);
    for (const version of versions) {
      const pulled = await workplace().json<{ readonly version: string }>(
        'bundle',
        'inspect',
        image(`${repository}:v${version.replace('+', '_')}`),
      );
      expect(pulled.version).toBe(version);
    }
  });

  test.each([
    {
      because: 'a folder cannot be pulled',
      source: () => '1.0.0',
      flags: () => ({}),
      message: /1\.0\.0 is a folder, which a cluster cannot pull/,
    },
    {
      because: 'a tag is not the version',
      source: () => image('team/gadget:1.0.0-other'),
      flags: () => ({}),
      message: /is not tagged with its version 1\.0\.0/,
    },
    {
      because: 'two repositories offer the package',
      source: () => image('team/gadget:v1.1.0'),
      flags: () => ({ upgradeFrom: image('other/gadget:v1.0.0') }),
      message: /are in two repositories/,
    },
    {
      because: 'both have one version',
      source: () => '1.0.0',
      flags: () => ({ to: image('trial/gadget'), upgradeFrom: image('team/gadget:v1.0.0') }),
      message: /both bundles have the version 1\.0\.0/,
    },
    {
      because: 'the repository has a tag',
      source: () => '1.0.0',
      flags: () => ({ to: image('trial/gadget:v1') }),
      message: /is more than a repository/,
    },
  ])('are refused with the remedy: $because', async ({ source, flags, message }) => {
    const error: unknown = await offer(environment(), source(), flags()).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      reason: 'InputInvalid',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/\w/),
    });
  });
});

describe('a sample', () => {
  const stored = (spec: object, uid = 'a'): KubeObject => ({
    apiVersion: 'example.com/v1',
    kind: 'Gadget',
    metadata: { name: 'x', uid },
    spec,
  });
  test.each([
    { because: 'nothing changed', before: stored({ size: 1 }), after: stored({ size: 1 }), loss: undefined },
    {
      because: 'the new version adds a default',
      before: stored({ size: 1 }),
      after: stored({ size: 1, more: { deep: true } }),
      loss: undefined,
    },
    { because: 'it was deleted', before: stored({}), after: undefined, loss: 'is gone' },
    {
      because: 'it is another object of the name',
      before: stored({}),
      after: stored({}, 'b'),
      loss: 'was deleted and made again',
    },
    {
      because: 'a field was pruned',
      before: stored({ deep: { a: 1, b: 2 } }),
      after: stored({ deep: { a: 1 } }),
      loss: 'changed in spec.deep.b',
    },
    {
      because: 'a list is another one',
      before: stored({ list: [1, 2] }),
      after: stored({ list: [1] }),
      loss: 'changed in spec.list',
    },
    {
      because: 'it has no spec any more',
      before: stored({ a: 1 }),
      after: { ...stored({}), spec: undefined } as unknown as KubeObject,
      loss: 'changed in spec',
    },
  ])('is kept unless something is lost: $because', ({ before, after, loss }) => {
    expect(lossOf(before, after)).toBe(loss);
  });

  test.each([
    { because: 'there is no annotation', text: undefined, names: [] },
    { because: 'the annotation is empty', text: ' ', names: [] },
    {
      because: 'an example has no name',
      text: '[{"apiVersion":"a/v1","kind":"B","metadata":{}},{"apiVersion":"a/v1","kind":"B","metadata":{"name":"x"}}]',
      names: ['x'],
    },
    { because: 'the annotation is no list', text: '{"a":1}', names: [] },
  ])('is every example that is an object: $because', ({ text, names }) => {
    const bundle = makeBundle({ metadata: { annotations: { ...(text !== undefined && { 'alm-examples': text }) } } });
    expect(samplesOf(bundle).map(({ metadata }) => metadata.name)).toEqual(names);
  });
});

describe('the steps of a test', () => {
  const failing = (error: Error) => async (): Promise<void> => {
    throw error;
  };
  const passing = async (): Promise<void> => undefined;
  const results = async (...steps: readonly (() => Promise<void>)[]) => {
    const signal = new AbortController().signal;
    const found = await runSteps(
      steps.map((run, at) => ({ step: `step ${at}`, run })),
      { signal, note: () => undefined },
    );
    return found.map(({ result, message }) => ({ result, message }));
  };

  test.each([
    { because: 'the manager reports a failure', error: new TrialFailure('broken') },
    { because: 'a sample is rejected', error: new SampleFailure('broken') },
    {
      because: 'the API server refuses a request',
      error: new ReasonedError({ reason: 'Forbidden', retry: 'never', message: 'broken' }),
    },
  ])('end with the first failure, and the others are skipped: $because', async ({ error }) => {
    expect(await results(passing, failing(error), passing)).toEqual([
      { result: 'passed', message: '' },
      { result: 'failed', message: 'broken' },
      { result: 'skipped', message: 'since this failed: step 1' },
    ]);
  });

  test('go on after one that has nothing to do', async () => {
    expect(await results(failing(new Skipped('no examples')), passing)).toEqual([
      { result: 'skipped', message: 'no examples' },
      { result: 'passed', message: '' },
    ]);
  });

  test('a defect is no failed step', async () => {
    await expect(results(failing(new Error('defect')))).rejects.toThrow('defect');
  });

  test('an interruption is no failed step', async () => {
    const abort = new AbortController();
    abort.abort(new Error('SIGINT'));
    const steps = [{ step: 'one', run: failing(new TrialFailure('x')) }];
    await expect(runSteps(steps, { signal: abort.signal, note: () => undefined })).rejects.toThrow('x');
  });
});

describe('the results of a test', () => {
  const EVIL = 'a"b<c>&\u001b[31m\n</testsuite>';
  const some = [
    { step: 'one', result: 'passed' as const, seconds: 1.25, message: '' },
    { step: EVIL, result: 'failed' as const, seconds: 0.5, message: EVIL },
    { step: 'three', result: 'skipped' as const, seconds: 0, message: 'no' },
  ];

  test('are a table', () => {
    expect(stepTable(some, undefined)).toMatch(/^STEP +RESULT +TIME +MESSAGE\none +passed +1\.\d s\n/);
  });

  test('are JUnit, in which texts make no elements', () => {
    const xml = junit(EVIL, some);
    expect(xml).toContain('tests="3" failures="1" skipped="1" time="1.750"');
    expect([...xml.matchAll(/<\/?([a-z]+)/g)].map(([tag]) => tag)).toEqual([
      '<testsuite',
      '<testcase',
      '<testcase',
      '<failure',
      '</testcase',
      '<testcase',
      '<skipped',
      '</testcase',
      '</testsuite',
    ]);
    expect(xml).not.toMatch(/[^\P{C}\n]/u);
  });
});
