/** Small operators for tests of plans: a working one, in which a test changes only its subject. */
import type { KubeObject } from '../../api/object.ts';
import { sample, sampleOperator } from '../../apply/testing/sample-objects.ts';
import { prepareObjects } from '../../apply/prepare.ts';
import type { Property } from '../../bundles/bundle.ts';
import type { PlanClusterFacts, PlanInput, PlannedSide } from '../input.ts';

const OWNER = { namespace: 'ops', name: 'widgets' };
export const RBAC = 'rbac.authorization.k8s.io';
export const DIGEST = `sha256:${'1'.repeat(64)}`;
export const OTHER_DIGEST = `sha256:${'2'.repeat(64)}`;
export const IMAGE = `registry.example/operator@${DIGEST}`;

export interface SideParts {
  readonly version?: string;
  /** Instead of those of the sample operator. */
  readonly objects?: readonly KubeObject[];
  /** In addition. */
  readonly more?: readonly KubeObject[];
  readonly image?: string;
  readonly properties?: readonly Property[];
}

/** One side of a change, prepared as for the Subscription `ops/widgets`. */
export function side(parts: SideParts = {}): PlannedSide {
  const {
    version = '1.0.0',
    objects = sampleOperator({ image: parts.image ?? IMAGE }),
    more = [],
    properties = [],
  } = parts;
  const options = { owner: OWNER, package: 'widgets', revision: `widgets-${version}`, installNamespace: 'ops' };
  return {
    bundle: `widgets.v${version}`,
    version,
    objects: prepareObjects([...objects, ...more], options),
    properties,
  };
}

/** An upgrade from 1.0.0 to 1.0.1. */
export function upgrade(before: SideParts, after: SideParts, facts?: PlanClusterFacts): PlanInput {
  return {
    package: 'widgets',
    subscription: 'ops/widgets',
    from: side(before),
    to: side({ version: '1.0.1', ...after }),
    ...(facts !== undefined && { facts }),
  };
}

/** A ClusterRole, bound to the operator. */
export function boundRole(
  rules: readonly object[],
  { name = 'more', ...fields }: { readonly name?: string; readonly [field: string]: unknown } = {},
): readonly KubeObject[] {
  return [sample(`${RBAC}/v1`, 'ClusterRole', name, { rules, ...fields }), clusterBinding(name)];
}

/** Binds a ClusterRole to the operator, in every namespace. */
export function clusterBinding(role: string, name = role): KubeObject {
  return sample(`${RBAC}/v1`, 'ClusterRoleBinding', name, {
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name: 'widget-manager', namespace: 'ops' }],
  });
}

/** The objects of the sample operator, one of them changed. */
export function changed(kind: string, change: (object: KubeObject) => object): readonly KubeObject[] {
  return sampleOperator({ image: IMAGE }).map((object) =>
    object.kind === kind ? { ...object, ...change(object) } : object,
  );
}
