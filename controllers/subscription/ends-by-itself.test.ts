/** A Subscription without an answer is Stalled only if a person has to act. */
import { describe, expect, test } from 'vitest';
import type { Condition } from '../../api/conditions.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import type { Property } from '../../catalog/model.ts';
import type { CatalogSource } from '../../resolver/input.ts';
import { decideSubscription } from './decide.ts';
import type { SubscriptionFacts } from './observe.ts';
import { summarizePlan } from './summarize.ts';
import { catalog, facts, NOW, revision, subscription, type SubscriptionParts } from './testing/facts.ts';

const LAMP = { group: 'lamps.example', version: 'v1', kind: 'Lamp' };
const NEEDS_PACKAGE: Property = {
  type: 'olm.package.required',
  value: { packageName: 'widget', versionRange: '>=1.0.0' },
};
const NEEDS_KIND: Property = { type: 'olm.gvk.required', value: LAMP };

/** The condition that says whether a person has to act. */
function progressOf(given: Partial<SubscriptionFacts>): string | undefined {
  const all = facts(given);
  const plan = decideSubscription(all);
  if (plan.kind !== 'resolved') throw new Error(`nothing is resolved: ${plan.kind}`);
  const { conditions } = summarizePlan(all.subscription, plan, { now: NOW });
  return conditions?.find(({ type }) => type === 'Stalled' || type === 'Reconciling')?.type;
}

function saying(type: Condition['type'], reason: string): SubscriptionStatus {
  const lastTransitionTime = '2026-05-01T11:00:00Z';
  return { conditions: [{ type, status: 'True', reason, message: 'm', lastTransitionTime }] };
}

const pending = (reason: string): SubscriptionStatus => ({
  pending: { bundle: 'widget.v1.0.0', version: '1.0.0', reason },
});
const old = { bundle: 'widget.v0.9.0', version: '0.9.0', image: 'i', catalog: 'main', revision: 'widget-1' };

describe('a dependency that must be there', () => {
  const requires = { dependencies: 'Require' } as const;

  function waiting(property: Property, other: SubscriptionParts, own: object = {}): string | undefined {
    const provides = [{ type: 'olm.gvk', value: JSON.stringify(LAMP) }];
    const widget = { package: 'widget', subscription: 'widget', properties: provides } as const;
    const neighbour = subscription({ name: 'widget', ...other, spec: { package: 'widget', ...other.spec } });
    return progressOf({
      subscription: subscription({ spec: { ...requires, ...own } }),
      catalogs: [catalog({ versions: ['1.0.0'], properties: [property] })],
      neighbours: [{ subscription: neighbour, revisions: [revision(widget)] }],
    });
  }

  test.each<{ because: string; other: SubscriptionParts; own?: object; type: string }>([
    { because: 'it was just requested', other: {}, type: 'Reconciling' },
    { because: 'it is being installed', other: { status: pending('Progressing') }, type: 'Reconciling' },
    {
      because: 'it waits for its own dependency',
      other: { status: pending('DependencyNotReady') },
      type: 'Reconciling',
    },
    { because: 'it is being upgraded', other: { status: { installed: old, ...pending('OutsideWindow') } }, type: 'Reconciling' }, // prettier-ignore
    { because: 'a person has to approve it', other: { status: pending('ApprovalRequired') }, type: 'Stalled' },
    { because: 'it stays as it is', other: { status: { installed: old } }, type: 'Stalled' },
    { because: 'it is stalled itself', other: { status: saying('Stalled', 'Forbidden') }, type: 'Stalled' },
    { because: 'each may wait for the other', other: { status: saying('Reconciling', 'ResolutionFailed') }, type: 'Stalled' }, // prettier-ignore
    { because: 'it is suspended', other: { spec: { suspend: true } }, type: 'Stalled' },
    { because: 'it is being deleted', other: { metadata: { deletionTimestamp: 'x' } }, type: 'Stalled' },
    { because: 'another package is being installed', other: { spec: { package: 'gizmo' } }, type: 'Stalled' },
    {
      because: 'it would be installed as a step, and no catalog has it',
      other: { status: pending('Progressing') },
      own: { dependencies: 'Install' },
      type: 'Stalled',
    },
    {
      because: 'it is of a tenant, who must not decide about others',
      other: { namespace: 'far', spec: { serviceAccountName: 'installer' } },
      type: 'Stalled',
    },
  ])('a dependency that must be there is reported as $type while it is missing: $because', ({ other, own, type }) => {
    expect(waiting(NEEDS_PACKAGE, other, own)).toBe(type);
  });

  test('a dependency that must be there counts as coming by its kind, too', () => {
    expect(waiting(NEEDS_KIND, { status: pending('Progressing') })).toBe('Reconciling');
  });
});

describe('a version that no catalog has', () => {
  const unread: CatalogSource = { name: 'other', priority: 0, state: 'Unavailable', content: () => undefined };

  test.each([
    { because: 'another catalog is being read', also: [unread], type: 'Reconciling' },
    { because: 'the other catalog cannot be read', also: [{ ...unread, unreadable: true }], type: 'Stalled' },
    { because: 'there is no other catalog', also: [], type: 'Stalled' },
  ])('a version that no catalog has is reported as $type: $because', ({ also, type }) => {
    const asked = subscription({ spec: { version: '7.0.0' } });
    expect(progressOf({ subscription: asked, catalogs: [catalog({ versions: ['1.0.0'] }), ...also] })).toBe(type);
  });
});
