/** The acts that views offer, decided from the objects as the command line decides them. Pure. */
import type { Catalog } from '../../api/catalog.ts';
import { findCondition } from '../../api/conditions.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { waitingOf, previousOf } from '../../report/targets.ts';
import { rightsFrom } from './access.ts';
import type { ActionOf } from './actions.ts';
import type { Asked } from './ask.ts';
import { accessOfOffers, buttonOf, type ButtonTerms, type Offer } from './buttons.ts';
import type { Button } from './models.ts';
import { accountOf } from './objects.ts';
import { nameOf } from './text.ts';
import type { Visible } from './view.ts';

/** @param askedFor The offers whose rights `ask` asked by `accessOfOffers`; those that are drawn are among them */
export function termsOf(
  visible: Visible,
  { askedFor, asked, subscription }: { readonly askedFor: readonly Offer[]; readonly asked: Asked; readonly subscription?: Subscription | undefined }, // prettier-ignore
): ButtonTerms {
  const account = accountOf(visible, subscription);
  const rights = rightsFrom(accessOfOffers(askedFor, account), asked.access);
  return { rights, readOnly: visible.readOnly, account };
}

export function buttonsOf(offers: readonly Offer[], terms: ButtonTerms): readonly Button[] {
  return offers.map((offer) => buttonOf(offer, terms));
}

export function refreshOffer({ metadata }: Catalog): Offer {
  return { label: 'Check for new content', action: { kind: 'refresh', catalog: metadata.name } };
}

/** The acts on a Subscription as it is; none while it is being deleted. */
export function subscriptionOffers(subscription: Subscription, revisions: readonly Revision[]): readonly Offer[] {
  const { metadata, spec, status } = subscription;
  if (metadata.deletionTimestamp !== undefined) return [];
  const place = placeOf(subscription);
  const approve = approvalOffer(subscription, revisions);
  const back = previousOf(subscription, revisions);
  const hasLosses = findCondition(status?.conditions, 'CustomResourcesLost') !== undefined;
  const isPinned = spec.version !== undefined || spec.edges === 'Ignore';
  return [
    ...(approve === undefined ? [] : [approve]),
    { label: 'Reconcile', action: { kind: 'reconcile', ...place } },
    spec.suspend
      ? { label: 'Resume', action: { kind: 'resume', ...place } }
      : { label: 'Suspend', action: { kind: 'suspend', ...place } },
    ...(back === undefined ? [] : [rollbackOffer(subscription, back)]),
    ...(isPinned ? [{ label: 'Unpin', action: { kind: 'unpin', ...place } } as const] : []),
    ...(hasLosses ? [{ label: 'Acknowledge the loss', action: { kind: 'acknowledge', ...place } } as const] : []),
  ];
}

/** The approval of the Revision that waits, with the hash of its plan. Absent if none waits. */
export function approvalOffer(subscription: Subscription, revisions: readonly Revision[]): Offer | undefined {
  const waiting = waitingOf(subscription, revisions);
  if (waiting === undefined) return undefined;
  const { namespace = '', name, uid = '' } = waiting.metadata;
  const { hash, problem } = waiting.status?.plan ?? {};
  const obstacle = problem === undefined ? 'The plan is still being made' : `No plan could be made: ${problem}`;
  const action: ActionOf<'approve'> = { kind: 'approve', namespace, revision: name, uid, plan: hash ?? NO_HASH };
  return {
    label: `Approve ${nameOf(waiting.spec.version)}`,
    action,
    confirm: `Install ${nameOf(waiting.spec.bundle)} by the plan ${action.plan.slice(0, 19)}…? An approval cannot be taken back.`,
    ...(hash === undefined && { obstacle: nameOf(obstacle) }),
  };
}

/** Stands in the line of a button that cannot be pressed: no plan has it. */
const NO_HASH = `sha256:${'0'.repeat(64)}`;

/** Goes back to a Revision, as `slipway rollback --to` does. */
export function rollbackOffer(subscription: Subscription, { spec: { version, channel, bundle } }: Revision): Offer {
  const wanted = subscription.spec.channel;
  const isElsewhere = wanted !== undefined && channel !== undefined && channel !== wanted;
  return {
    label: `Go back to ${nameOf(version)}`,
    action: { kind: 'rollback', ...placeOf(subscription), version, ...(isElsewhere && { channel }) },
    confirm: `Install ${nameOf(bundle)} in place of the present version, and stay there until the Subscription is unpinned?`,
  };
}

export function placeOf({ metadata }: Subscription): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}
