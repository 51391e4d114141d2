/** The reports about a version that failed and was rolled back: by the Subscription, and by an event about it. */
import { expect } from 'vitest';
import type { TestCluster } from '../../cluster/cluster.ts';
import { PACKAGE } from '../../lib/beacon-operator.ts';
import { condition, waitFor, type Judged, type Wanted } from '../../lib/objects.ts';
import { until } from '../../lib/until.ts';

export interface Failure {
  readonly version: string;
  readonly reason: RegExp;
  /** Each is in the message of the condition, and in the note of the event. */
  readonly says: readonly RegExp[];
}

/**
 * Waits until the version is rolled back, and compares the condition, the status and the event with the expected ones.
 */
export async function expectGivenUp(cluster: TestCluster, wanted: Wanted, failure: Failure): Promise<void> {
  const { version, reason, says } = failure;
  const bundle = `${PACKAGE}.v${version}`;
  const subscription = await waitFor(cluster, wanted, (object) => aboutUpgrade(object).includes(`${bundle} failed`));
  expect(condition(subscription, 'UpgradeAvailable')).toMatchObject({ status: 'True', reason: 'Quarantined' });
  const entry = quarantined(subscription).find((one) => one.version === version);
  expect(entry).toMatchObject({ bundle, reason: expect.stringMatching(reason) as string });
  const events = await until(`an event reports ${bundle}`, async () => {
    const notes = await notesAbout(cluster, subscription, { type: 'Warning', reason: 'RollingBack' });
    const found = notes.filter((note) => note.startsWith(`${bundle} failed and is quarantined: `));
    return found.length > 0 ? found : undefined;
  });
  for (const text of says) {
    expect(aboutUpgrade(subscription)).toMatch(text);
    expect(entry?.message).toMatch(text);
    for (const note of events) expect(note).toMatch(text);
  }
}

function aboutUpgrade(subscription: Judged): string {
  return condition(subscription, 'UpgradeAvailable')?.message ?? '';
}

interface Quarantined {
  readonly version: string;
  readonly bundle: string;
  readonly reason: string;
  readonly message: string;
}

function quarantined({ status }: Judged): readonly Quarantined[] {
  return (status?.['quarantined'] ?? []) as readonly Quarantined[];
}

interface Kind {
  readonly type: string;
  readonly reason: string;
}

async function notesAbout(
  { read }: TestCluster,
  { metadata: { uid } }: Judged,
  { type, reason }: Kind,
): Promise<readonly string[]> {
  const { items } = (await read('/apis/events.k8s.io/v1/events')) as {
    readonly items: readonly (Kind & { readonly note: string; readonly regarding: { readonly uid: string } })[];
  };
  return items
    .filter((event) => event.regarding.uid === uid && event.type === type && event.reason === reason)
    .map(({ note }) => note);
}
