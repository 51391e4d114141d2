/**
 * An act as the writes that it takes, in order: the one source of the kubectl line and of the requests, so that both are
 * the same act. The writes are those of the command line. Pure.
 */
import { API_VERSION, ANNOTATION } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Action, ActionOf } from './actions.ts';

/** An object of Slipway that is written. `namespace` is absent for Catalogs. */
export interface StepTarget {
  readonly kind: 'Subscription' | 'Revision' | 'Catalog';
  readonly plural: 'subscriptions' | 'revisions' | 'catalogs';
  readonly namespace?: string;
  readonly name: string;
}

export type Step =
  | { readonly do: 'merge'; readonly target: StepTarget; readonly patch: object }
  /** A JSON patch whose tests the API server makes in the same moment; it answers 422 if one fails. */
  | { readonly do: 'test'; readonly target: StepTarget; readonly patch: readonly object[] }
  /** `value` is a time, which the line takes when it is run. */
  | { readonly do: 'annotate'; readonly target: StepTarget; readonly key: string }
  | { readonly do: 'create'; readonly target: StepTarget; readonly body: KubeObject }
  | { readonly do: 'delete'; readonly target: StepTarget; readonly uid: string };

export function stepsOf(action: Action): readonly Step[] {
  switch (action.kind) {
    case 'approve':
      return [approval(action)];
    case 'reconcile':
      return [{ do: 'annotate', target: subscriptionOf(action), key: ANNOTATION.reconcileRequestedAt }];
    case 'refresh':
      return [{ do: 'annotate', target: catalogNamed(action.catalog), key: ANNOTATION.reconcileRequestedAt }];
    case 'acknowledge':
      return [{ do: 'annotate', target: subscriptionOf(action), key: ANNOTATION.lossesAcknowledgedAt }];
    case 'suspend':
    case 'resume':
      return [specPatch(action, { suspend: action.kind === 'suspend' })];
    case 'subscribe':
      return [{ do: 'create', target: subscriptionOf(action), body: subscriptionFrom(action) }];
    case 'uninstall':
      return uninstall(action);
    default:
      return [specPatch(action, wantedBy(action))];
  }
}

/** The fields of the spec that an act sets, or removes by `null`. */
export function wantedBy(action: ActionOf<'rollback' | 'change' | 'unpin'>): Readonly<Record<string, string | null>> {
  if (action.kind === 'unpin') return { version: null, edges: 'Follow' };
  const { version, channel } = action;
  const edges = action.kind === 'rollback' ? 'Ignore' : action.edges;
  return {
    ...(version !== undefined && { version }),
    ...(edges !== undefined && { edges }),
    ...(channel !== undefined && { channel }),
    ...(action.kind === 'change' && action.approval !== undefined && { approval: action.approval }),
  };
}

/** The Subscription that an act creates; the manifest that the form shows. */
export function subscriptionFrom(action: ActionOf<'subscribe'>): KubeObject {
  const { kind: _, namespace, name, package: packageName, ...spec } = action;
  return {
    apiVersion: API_VERSION,
    kind: 'Subscription',
    metadata: { name, namespace },
    spec: { package: packageName, ...spec },
  };
}

/** Sets the approval on the very Revision, and only while its plan has the hash. */
function approval({ namespace, revision, uid, plan }: ActionOf<'approve'>): Step {
  return {
    do: 'test',
    target: { kind: 'Revision', plural: 'revisions', namespace, name: revision },
    patch: [
      { op: 'test', path: '/metadata/uid', value: uid },
      { op: 'test', path: '/status/plan/hash', value: plan },
      { op: 'add', path: '/spec/approved', value: true },
    ],
  };
}

/** The policies come first: the manager reads them once the Subscription is being deleted. */
function uninstall(action: ActionOf<'uninstall'>): readonly Step[] {
  const { uid, customResources, objects } = action;
  const target = subscriptionOf(action);
  return [
    { do: 'merge', target, patch: { metadata: { uid }, spec: { uninstall: { objects, customResources } } } },
    { do: 'delete', target, uid },
  ];
}

function specPatch(place: { readonly namespace: string; readonly name: string }, spec: object): Step {
  return { do: 'merge', target: subscriptionOf(place), patch: { spec } };
}

function subscriptionOf({ namespace, name }: { readonly namespace: string; readonly name: string }): StepTarget {
  return { kind: 'Subscription', plural: 'subscriptions', namespace, name };
}

function catalogNamed(name: string): StepTarget {
  return { kind: 'Catalog', plural: 'catalogs', name };
}
