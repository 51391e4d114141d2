import { describe, expect, test } from 'vitest';
import { takeChart } from './chart.ts';
import { CRD, deployment, gadgetWith } from './testing/gadget-source.ts';

type Fields = Readonly<Record<string, unknown>>;

const hook = (kind: string, name: string, when: string): Fields => ({
  apiVersion: 'batch/v1',
  kind,
  metadata: { name, annotations: { 'helm.sh/hook': when, 'helm.sh/hook-weight': '1' } },
});
const secret = (value: string): Fields => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'ca' },
  data: { key: value },
});

describe('a chart', () => {
  test('that renders the same twice gives its objects', () => {
    const sources = gadgetWith();
    expect(takeChart(sources, gadgetWith())).toEqual({ sources, tests: [] });
  });

  test.each([
    {
      because: 'a value is random',
      first: { secret: secret('a') },
      second: { secret: secret('b') },
      says: 'Secret ca (data.key)',
    },
    {
      because: 'a name is random',
      first: { d: deployment('a') },
      second: { d: deployment('b') },
      says: 'Deployment.apps gadget-system/a (its name)',
    },
    {
      because: 'a hook runs before',
      first: { job: hook('Job', 'migrate', 'pre-install,pre-upgrade') },
      says: 'Job.batch migrate (pre-install, pre-upgrade)',
    },
    {
      because: 'a hook runs after',
      first: { job: hook('Job', 'notify', 'post-install') },
      says: 'Job.batch notify (post-install)',
    },
  ])('is refused with the name of the object: $because', ({ first, second = first, says }) => {
    const refused = { reason: 'InputInvalid', retry: 'never', message: expect.stringContaining(says) };
    expect(() => takeChart(gadgetWith(first), gadgetWith(second))).toThrowError(expect.objectContaining(refused));
  });

  test('may have hooks that install CRDs, and loses the annotations of helm', () => {
    const crd = {
      ...CRD,
      metadata: {
        name: 'gadgets.example.com',
        annotations: { 'helm.sh/hook': 'crd-install', 'helm.sh/resource-policy': 'keep', mine: 'yes' },
      },
    };
    const { sources } = takeChart(gadgetWith({ crd }), gadgetWith({ crd }));
    expect(
      sources.find(({ object }) => object.kind === 'CustomResourceDefinition')?.object.metadata.annotations,
    ).toEqual({ mine: 'yes' });
  });

  test('loses its tests, by name', () => {
    const job = hook('Pod', 'try', 'test');
    const { sources, tests } = takeChart(gadgetWith({ job }), gadgetWith({ job }));
    expect(tests).toEqual(['Pod.batch try']);
    expect(sources).toEqual(gadgetWith());
  });

  test('keeps a hook that the author leaves out on purpose, so that the bundle names it', () => {
    const job = hook('Job', 'migrate', 'pre-install');
    const { sources } = takeChart(gadgetWith({ job }), gadgetWith({ job }), ['Job.batch/migrate']);
    expect(sources.at(-1)?.object.metadata).toEqual({ name: 'migrate' });
  });
});
