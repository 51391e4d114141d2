import { describe, expect, it, test } from 'vitest';
import { Catalog, type CatalogStatus } from '../../api/catalog.ts';
import { findCondition, type Condition, type ConditionType } from '../../api/conditions.ts';
import { ReasonedError, type Retry } from '../../api/errors.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { Reason } from '../../api/reasons.ts';
import {
  summarizeContent,
  summarizeFailure,
  summarizeReading,
  summarizeRefusal,
  summarizeSuspension,
} from './summarize.ts';

const now = new Date('2026-01-02T00:00:00.500Z');
const digest = `r.example/hub:v1@sha256:${'a'.repeat(64)}`;
const served: CatalogStatus = {
  lastHandledReconcileAt: 'before',
  digest,
  lastChecked: '2026-01-01T00:00:00Z',
  lastChanged: '2026-01-01T00:00:00Z',
  created: '2025-12-24T00:00:00Z',
  packages: 3,
  channels: 4,
  bundles: 5,
};
const found = { digest, packages: 3, channels: 4, bundles: 5, created: '2025-12-24T00:00:00Z' };
const keys = [{ name: 'team', pem: '-----BEGIN PUBLIC KEY-----', transparencyLog: 'Require' }] as const;
const warn = { keys, enforcement: 'Warn' } as const;

/** Of the generation 2, which is that of the status unless a case says otherwise. */
function catalog(given: CatalogStatus | undefined, spec: Partial<Catalog['spec']> = {}): Catalog {
  const status = given && { observedGeneration: 2, ...given };
  return {
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Catalog',
    metadata: { name: 'hub', generation: 2, annotations: { [ANNOTATION.reconcileRequestedAt]: 'now' } },
    spec: { source: { image: { ref: 'r.example/hub:v1' } }, priority: 0, suspend: false, ...spec },
    ...(status !== undefined && { status }),
  };
}

function failure(reason: Reason, retry: Retry = 'backoff'): ReasonedError {
  return new ReasonedError({ reason, retry, message: `it is ${reason}`, hint: 'Look there' });
}

function conditionOf({ conditions }: CatalogStatus, type: ConditionType): Condition | undefined {
  return findCondition(conditions, type);
}

interface Row {
  readonly because: string;
  readonly status: CatalogStatus;
  readonly ready: readonly [status: string, reason: string, message: string];
  readonly stuck?: readonly [type: ConditionType, reason: string];
}

const down = failure('RegistryUnavailable');
const FROM_BEFORE = 'Serving content from before the spec was changed. ';
const unread = summarizeFailure(catalog({ ...served, observedGeneration: 1 }), { error: down, served: true }, now);

describe('the Ready condition of a Catalog', () => {
  it.each<Row>([
    {
      because: 'new content is in service',
      status: summarizeContent(catalog(undefined), found, now),
      ready: ['True', 'Succeeded', '3 packages with 5 bundles in service'],
    },
    {
      because: 'a count of one has a singular',
      status: summarizeContent(catalog(undefined), { ...found, packages: 1, bundles: 1 }, now),
      ready: ['True', 'Succeeded', '1 package with 1 bundle in service'],
    },
    {
      because: 'defective values were left out of the content',
      status: summarizeContent(catalog(undefined), { ...found, leftOut: { count: 3, first: ['a: x', 'b: y'] } }, now),
      ready: [
        'True',
        'Succeeded',
        '3 packages with 5 bundles in service. Left out, as they cannot be parsed: a: x; b: y; and 1 more. ' +
          'Ask the author of the catalog to correct them: slipway catalog validate names them all',
      ],
    },
    {
      because: 'tags are not offered',
      status: summarizeContent(catalog(undefined), { ...found, notOffered: { count: 2, first: ['r:v1 (x)'] } }, now),
      ready: [
        'True',
        'Succeeded',
        '3 packages with 5 bundles in service. These tags are not offered as versions: r:v1 (x); and 1 more. ' +
          'Push a corrected bundle under each tag, or delete the tag',
      ],
    },
    {
      because: 'two repositories claim a package',
      status: summarizeContent(
        catalog(undefined),
        {
          ...found,
          notOffered: { count: 1, first: ['r:v1 (x)'], disputed: { count: 1, first: ['a is offered by b'] } },
        },
        now,
      ),
      ready: [
        'True',
        'Succeeded',
        '3 packages with 5 bundles in service. Several repositories claim one package: a is offered by b. To decide, set ' +
          'package in spec.source.repositories beside the repository that is to offer it. These tags are not offered as ' +
          'versions: r:v1 (x). Push a corrected bundle under each tag, or delete the tag',
      ],
    },
    {
      because: 'the last good content is served',
      status: summarizeFailure(catalog(served), { error: down, served: true }, now),
      ready: [
        'True',
        'CatalogStale',
        'Serving the last good content. RegistryUnavailable: it is RegistryUnavailable. Look there',
      ],
      stuck: ['Reconciling', 'RegistryUnavailable'],
    },
    {
      because: 'new content cannot be used, and the last good content is served: it is checked again',
      status: summarizeFailure(catalog(served), { error: failure('CatalogInvalid', 'never'), served: true }, now),
      ready: [
        'True',
        'CatalogStale',
        'Serving the last good content. CatalogInvalid: it is CatalogInvalid. Look there',
      ],
      stuck: ['Reconciling', 'CatalogInvalid'],
    },
    {
      because: 'the spec was changed, and nothing of it was read yet',
      status: summarizeFailure(catalog({ ...served, observedGeneration: 1 }), { error: down, served: true }, now),
      ready: ['False', 'CatalogStale', `${FROM_BEFORE}RegistryUnavailable: it is RegistryUnavailable. Look there`],
      stuck: ['Reconciling', 'RegistryUnavailable'],
    },
    {
      because: 'the spec was changed, and its check has failed again',
      status: summarizeFailure(catalog(unread), { error: failure('RegistryDenied', 'never'), served: true }, now),
      ready: ['False', 'CatalogStale', `${FROM_BEFORE}RegistryDenied: it is RegistryDenied. Look there`],
      stuck: ['Stalled', 'RegistryDenied'],
    },
    {
      because: 'the content is of another source',
      status: summarizeFailure(
        catalog(served, { source: { image: { ref: 'r.example/other:v1' } } }),
        { error: down, served: true },
        now,
      ),
      ready: ['False', 'CatalogStale', `${FROM_BEFORE}RegistryUnavailable: it is RegistryUnavailable. Look there`],
      stuck: ['Reconciling', 'RegistryUnavailable'],
    },
    {
      because: 'there was content, and this process does not serve it',
      status: summarizeFailure(catalog(served), { error: down, served: false }, now),
      ready: ['False', 'RegistryUnavailable', 'Nothing is in service. it is RegistryUnavailable. Look there'],
      stuck: ['Reconciling', 'RegistryUnavailable'],
    },
    {
      because: 'there never was any content, and a retry is of no use',
      status: summarizeFailure(catalog(undefined), { error: failure('CatalogInvalid', 'never'), served: false }, now),
      ready: ['False', 'CatalogInvalid', 'Nothing is in service. it is CatalogInvalid. Look there'],
      stuck: ['Stalled', 'CatalogInvalid'],
    },
    {
      because: 'it is suspended',
      status: summarizeSuspension(catalog(served), { served: true }, now),
      ready: [
        'True',
        'Suspended',
        'Suspended: the manager asks the registry for no new content, and the content that was read last stays in service',
      ],
    },
    {
      because: 'it is suspended, and its known content cannot be loaded',
      status: summarizeSuspension(catalog(served), { served: false, error: down }, now),
      ready: [
        'False',
        'Suspended',
        'Suspended, and nothing is in service. RegistryUnavailable: it is RegistryUnavailable. Look there',
      ],
    },
    {
      because: 'it was suspended before any content was known',
      status: summarizeSuspension(catalog(undefined), { served: false }, now),
      ready: ['False', 'Suspended', 'Suspended, and nothing is in service'],
    },
    {
      because: 'it may not be served',
      status: summarizeRefusal(catalog(served), failure('Unsigned', 'never'), now),
      ready: ['False', 'Unsigned', 'it is Unsigned. Look there'],
      stuck: ['Stalled', 'Unsigned'],
    },
  ])('the Ready condition if $because', ({ status, ready: [is, reason, message], stuck }) => {
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: is, reason, message, observedGeneration: 2 });
    expect(status.observedGeneration).toBe(2);
    const others = (['Reconciling', 'Stalled'] as const).flatMap((type) => {
      const condition = conditionOf(status, type);
      return condition === undefined ? [] : [[type, condition.reason]];
    });
    expect(others).toEqual(stuck === undefined ? [] : [stuck]);
  });

  it.each<{ because: string; spec: Partial<Catalog['spec']>; served: boolean; message: string }>([
    { because: 'there is none yet', spec: {}, served: false, message: 'The content of r.example/hub:v1 is being read' },
    {
      because: 'the source was changed',
      spec: { source: { repositories: [{ repository: 'r.example/a' }, { repository: 'r.example/b' }] } },
      served: true,
      message:
        'The content of r.example/a and 1 other repository is being read. ' +
        'Content from before the spec was changed is in service meanwhile',
    },
  ])(
    'content that is being read is reported, and the spec stays unobserved: $because',
    ({ spec, served: is, message }) => {
      const status = summarizeReading(catalog({ ...served, observedGeneration: 1 }, spec), { served: is }, now);
      expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'Unknown', reason: 'Progressing', message });
      expect(conditionOf(status, 'Reconciling')).toMatchObject({ status: 'True', reason: 'Progressing' });
      expect(status).toMatchObject({ observedGeneration: 1, lastHandledReconcileAt: 'before' });
    },
  );

  it('the Ready condition warns of content without a trusted signature, beside any other message', () => {
    const signature = { policy: 'p', problem: 'Unsigned: it has no signature' };
    const asks = catalog({ ...served, signature }, { verify: warn });
    for (const status of [
      summarizeContent(asks, { ...found, signature }, now),
      summarizeFailure(asks, { error: down, served: true }, now),
      summarizeFailure(asks, { error: down, served: false }, now),
      summarizeSuspension(asks, { served: true }, now),
      summarizeSuspension(asks, { served: false, error: down }, now),
    ])
      expect(conditionOf(status, 'Ready')?.message).toMatch(
        /\. Used without a trusted signature\. Unsigned: it has no signature$/,
      );
  });

  it('content that passed the check is served without a warning, and its signer stays in the status', () => {
    const signature = { policy: 'p', by: 'key team' };
    const before = catalog({ ...served, signature: { policy: 'p', problem: 'Unsigned' } }, { verify: warn });
    const status = summarizeContent(before, { ...found, signature }, now);
    expect(status.signature).toEqual(signature);
    expect(conditionOf(status, 'Ready')?.message).not.toContain('signature');
    expect(summarizeContent(catalog({ ...served, signature }, {}), found, now)).not.toHaveProperty('signature');
  });
});

describe('the status of the content', () => {
  it('new content sets the time of the check and of the change', () => {
    const other = { ...found, digest: `r.example/hub:v1@sha256:${'b'.repeat(64)}`, packages: 9 };
    expect(summarizeContent(catalog(served), other, now)).toMatchObject({
      ...other,
      lastChecked: '2026-01-02T00:00:00Z',
      lastChanged: '2026-01-02T00:00:00Z',
    });
  });

  it('unchanged content sets the time of the check only', () => {
    expect(summarizeContent(catalog(served), found, now)).toMatchObject({
      lastChecked: '2026-01-02T00:00:00Z',
      lastChanged: served.lastChanged,
      created: found.created,
    });
  });

  it('new content without a time of build removes the earlier time of build', () => {
    const { created: _, ...unknown } = found;
    expect(summarizeContent(catalog(served), unknown, now)).not.toHaveProperty('created');
  });

  it.each([
    { because: 'a check failed', status: summarizeFailure(catalog(served), { error: down, served: true }, now) },
    { because: 'it is suspended', status: summarizeSuspension(catalog(served), { served: true }, now) },
  ])('the status keeps the facts about the content if $because', ({ status }) => {
    expect(status).toMatchObject(served);
  });

  it('the status has no facts about content if nothing may be served', () => {
    const status = summarizeRefusal(catalog(served), failure('Unsigned', 'never'), now);
    for (const field of ['digest', 'packages', 'channels', 'bundles', 'created'])
      expect(status).not.toHaveProperty(field);
  });
});

describe('the request of a person', () => {
  it.each([
    { because: 'the check was done', status: summarizeContent(catalog(served), found, now), echo: 'now' },
    {
      because: 'the check failed',
      status: summarizeFailure(catalog(served), { error: down, served: true }, now),
      echo: 'before',
    },
    {
      because: 'the Catalog is suspended',
      status: summarizeSuspension(catalog(served), { served: true }, now),
      echo: 'before',
    },
  ])('a request is repeated in the status as $echo if $because', ({ status, echo }) => {
    expect(status.lastHandledReconcileAt).toBe(echo);
  });

  it('a request is no longer repeated in the status after the annotation was removed', () => {
    const { metadata, ...rest } = catalog(served);
    const { annotations: _, ...plain } = metadata;
    expect(summarizeContent({ ...rest, metadata: plain }, found, now)).not.toHaveProperty('lastHandledReconcileAt');
  });
});

test('the API server accepts a status with the longest reference that a spec can have', () => {
  const tag = 't'.repeat(128);
  const name = `registry.example/${'long/'.repeat(47)}n`;
  const longest = `${name}:${tag}@sha512:${'a'.repeat(128)}`;
  const status = summarizeContent(catalog(undefined), { ...found, digest: longest }, now);
  expect(Catalog.safeParse({ ...catalog(undefined), status }).error).toBeUndefined();
});
