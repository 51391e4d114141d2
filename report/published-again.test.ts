/** A bundle may be published again under its name: a failure is about the content that its image names. */
import { describe, expect, test } from 'vitest';
import { haveSameBundle } from '../api/same-bundle.ts';
import { failuresOf } from './failures.ts';
import { entriesOf } from './history.ts';
import { previousOf } from './targets.ts';
import { INSTALLED, READY, revision, subscription } from './testing/objects.ts';
import { answerOf } from './why-status.ts';

const imageOf = (content: string): string => `registry.example/gadget@sha256:${content.repeat(64)}`;
const failure = (version: string, content?: string) => ({
  bundle: `gadget.v${version}`,
  version,
  ...(content !== undefined && { image: imageOf(content) }),
  reason: 'WebhookSilent',
  message: 'no answer',
  since: '2026-01-01T00:00:00Z',
});
const worked = { firstReadyTime: '2026-01-01T00:00:00Z' };
const revisionOf = (number: number, version: string, content: string, state: 'Active' | 'Archived' = 'Archived') =>
  revision(number, version, { spec: { state, image: imageOf(content) }, status: worked });

const CONTENTS = [
  { failed: 'b', counts: false, because: 'another content failed' },
  { failed: 'a', counts: true, because: 'this content failed' },
  { failed: undefined, counts: true, because: 'the release before has not noted which content failed' },
] as const;

describe.each(CONTENTS)('a failure under the name of the installed bundle: $because', ({ failed, counts }) => {
  const one = subscription({
    status: {
      installed: { ...INSTALLED, image: imageOf('a') },
      quarantined: [failure('1.0.0', failed)],
      conditions: [READY],
    },
  });

  test('is a failure of the installed version only if that has its content', () => {
    expect(failuresOf(one.status ?? {})).toHaveLength(counts ? 1 : 0);
  });

  test('is the outcome of the installed Revision only if that has its content', () => {
    const [entry] = entriesOf(one, [revisionOf(1, '1.0.0', 'a', 'Active')]);
    expect(entry?.outcome).toBe(counts ? 'failed (WebhookSilent): no answer' : 'is installed');
  });

  test.each(['1.0.0', 'gadget.v1.0.0'])(
    'is the answer to why-not %s only if the version has its content',
    (version) => {
      const { standing } = answerOf({ package: 'gadget', version }, one);
      expect(standing).toBe(counts ? 'Refused' : 'Installed');
    },
  );
});

test.each(CONTENTS)('a version that worked is the way back unless it failed: $because', ({ failed, counts }) => {
  const revisions = [revisionOf(1, '1.0.0', 'a'), revisionOf(2, '2.0.0', 'c', 'Active')];
  const installed = { ...INSTALLED, bundle: 'gadget.v2.0.0', version: '2.0.0', revision: 'gadget-2' };
  const one = subscription({ status: { installed, quarantined: [failure('1.0.0', failed)] } });
  expect(previousOf(one, revisions)?.metadata.name).toBe(counts ? undefined : 'gadget-1');
});

test('a version that failed counts whatever is installed: its name is not tried again', () => {
  expect(failuresOf({ installed: INSTALLED, quarantined: [failure('2.0.0', 'b')] })).toHaveLength(1);
});

test('an image that was copied to another registry has the same content', () => {
  const copied = { bundle: INSTALLED.bundle, image: INSTALLED.image.replace('registry.example', 'mirror.example') };
  expect(haveSameBundle(copied, INSTALLED)).toBe(true);
});
