/**
 * A view answers one question. The server filters the objects that the person may see, reads on demand what
 * {@link View.ask} describes, as that person, and calls {@link View.show}; both are pure, and never throw.
 */
import type { Catalog } from '../../api/catalog.ts';
import type { Reason } from '../../api/reasons.ts';
import type { KubeObject } from '../../api/object.ts';
import type { RegistryPolicy } from '../../api/registry-policy.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Ask, Asked } from './ask.ts';

export type { Ask, Asked };

export type { Button } from './models/common.ts';

/** The objects that this person may see, as the API server returned them. */
export interface VisibleObjects {
  readonly subscriptions: readonly Subscription[];
  readonly revisions: readonly Revision[];
  readonly catalogs: readonly Catalog[];
  /** Empty too if the cluster does not have the kind. */
  readonly registryPolicies: readonly RegistryPolicy[];
  /** `events.k8s.io/v1`, about objects of Slipway. */
  readonly events: readonly KubeObject[];
  /** Leases of the manager's namespace: that of the leader. */
  readonly leases: readonly KubeObject[];
}

export type VisibleKind = keyof VisibleObjects;

/** The namespaces in which the person may list a kind; of a kind without namespaces: all or none. */
export type Reach = 'all' | readonly string[];

export interface Visible extends VisibleObjects {
  readonly reach: Readonly<Record<VisibleKind, Reach>>;
  /** The namespaces that the console watches at all, whatever the person may see there; absent: all of every kind. */
  readonly watched?: Readonly<Record<VisibleKind, Reach>>;
  /** The namespaces of which the console keeps only the newest events; absent: none. */
  readonly cutEvents?: readonly string[];
  /** Nothing is ever sent to the cluster; every button says so. */
  readonly readOnly: boolean;
  /** Namespace of the manager. */
  readonly systemNamespace: string;
  readonly now: Date;
}

/** The parameters of the path (`:namespace`) and of the query, decoded; hostile. A later one of the same name is ignored. */
export type Parameters = Readonly<Record<string, string | undefined>>;

export interface View<Model> {
  /** `/subscriptions/:namespace/:name`; the longest pattern that matches counts. */
  readonly path: string;
  /** The names of the query that it knows; others are dropped. */
  readonly query: readonly string[];
  /** The kinds whose change can change the model. `show` and `ask` read no others. */
  readonly reads: readonly VisibleKind[];
  /** No object of another namespace than that of the path can change the model or what is asked. */
  readonly isOfNamespace?: true;
  /** What must be read as that person; absent: nothing. It is asked again whenever the objects change. */
  readonly ask?: (visible: Visible, parameters: Parameters) => Ask;
  /** It asks for rights and nothing else. Those are remembered, so that it costs little to compute it at each change. */
  readonly asksRightsOnly?: true;
  readonly show: (visible: Visible, parameters: Parameters, asked: Asked) => Model | Problem;
}

/** Why a view cannot be shown, or an act was not done. Sentences for people. */
export interface Problem {
  readonly problem: true;
  readonly reason: Reason;
  readonly message: string;
  /** What the person can do; empty if nothing helps. */
  readonly next: string;
}

export function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'problem' in value && value.problem === true;
}
