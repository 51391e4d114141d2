/** For any content of a catalog, the API server accepts the resulting status and a terminal can show it. */
import { describe, expect, test } from 'vitest';
import { Subscription } from '../../api/subscription.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import type { CatalogPackage } from '../../catalog/model.ts';
import type { CatalogSource } from '../../resolver/input.ts';
import { decideSubscription } from './decide.ts';
import { summarizePlan } from './summarize.ts';
import { catalog, facts, NOW, revision } from './testing/facts.ts';

const EVIL = '\u001B[31mred\u001B]0;title\u0007\u009B2J\u202Ekool\r\u0000';
const LONG = 'x'.repeat(500);

interface Words {
  /** The bundle beside 1.0.0. */
  readonly version?: string;
  readonly name?: string;
  readonly channel?: string;
  readonly deprecation?: string;
}

/** A package of 1.0.0 and another bundle that replaces it. */
function saying({ version = '1.1.0', name = 'gadget.next', channel = 'stable', deprecation }: Words): CatalogSource {
  const source = catalog({ versions: ['1.0.0'] });
  const content = source.content('gadget') as CatalogPackage;
  const [first] = content.bundles;
  if (first === undefined) throw new Error('there is no bundle');
  const entries = [
    { name: first.name, skips: [] },
    { name, skips: [], replaces: first.name },
  ];
  const changed: CatalogPackage = {
    ...content,
    defaultChannel: channel,
    channels: [{ name: channel, entries }],
    bundles: [first, { ...first, name, version }],
    deprecations: deprecation === undefined ? [] : [{ schema: 'olm.package', message: deprecation }],
  };
  return { ...source, content: (asked) => (asked === 'gadget' ? changed : undefined) };
}

function statusOf(words: Words, installed: boolean): SubscriptionStatus {
  const revisions = installed ? [revision({ ready: true })] : [];
  const all = facts({ catalogs: [saying(words)], revisions });
  const plan = decideSubscription(all);
  if (plan.kind !== 'resolved') throw new Error(`nothing is resolved: ${plan.kind}`);
  return summarizePlan(all.subscription, plan, { now: NOW });
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe.each([
  { because: 'an invalid version full of control characters', words: { version: EVIL } },
  { because: 'an invalid, long version', words: { version: LONG } },
  { because: 'an empty version', words: { version: '' } },
  { because: 'a valid version that is too long for the status', words: { version: `1.1.0-${LONG}` } },
  { because: 'a bundle with a long name', words: { name: LONG } },
  { because: 'a bundle with control characters in its name', words: { name: EVIL } },
  { because: 'a channel with a long name', words: { channel: LONG } },
  { because: 'a channel with control characters in its name', words: { channel: EVIL } },
  { because: 'a long deprecation with control characters', words: { deprecation: EVIL.repeat(1000) } },
])('a catalog with $because', ({ words }) => {
  test.each([{ installed: false }, { installed: true }])(
    'the API server accepts the status, with a bundle installed: $installed',
    ({ installed }) => {
      const status = statusOf(words, installed);
      const parsed = Subscription.safeParse({ spec: { package: 'gadget' }, status });
      expect(parsed.error?.issues ?? []).toEqual([]);
      expect(
        textsIn(status).filter((text) => /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E]/.test(text)),
      ).toEqual([]);
    },
  );
});
