/** Objects in every state that the CRDs permit, with hostile texts; names are few, so that objects belong together. */
import fc from 'fast-check';
import { toStructuralSchema } from '../../../api/crd/schema.ts';
import { valuesOf } from '../../../api/crd/testing/from-schema.ts';
import { HOSTILE_TEXTS, TIMES } from '../../../api/crd/testing/hostile-values.ts';
import { CATALOG } from '../../../api/catalog.ts';
import { parseObject, type CustomKind, type ObjectOf } from '../../../api/kind.ts';
import { API_VERSION } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/object.ts';
import { REGISTRY_POLICY } from '../../../api/registry-policy.ts';
import { REVISION } from '../../../api/revision.ts';
import { SUBSCRIPTION } from '../../../api/subscription.ts';
import type { VisibleObjects } from '../view.ts';

const TIME = '2026-01-01T00:00:00Z';
const NAMES = ['gadget', 'lamp', 'gadget-1', 'gadget-2', 'team', 'thing'];
const VERSIONS = ['1.0.0', '1.1.0', '2.0.0'];
const HASHES = [`sha256:${'a'.repeat(64)}`, `registry.example/thing@sha256:${'a'.repeat(64)}`];
const REASONS = ['ApprovalRequired', 'OutsideWindow', 'Planning', 'WorkloadUnhealthy'];
const CONDITIONS = ['Ready', 'Stalled', 'Reconciling', 'UpgradeFailed', 'UpgradeAvailable', 'Deprecated', 'CustomResourcesLost']; // prettier-ignore
const KINDS = ['Deployment', 'ConfigMap', 'CustomResourceDefinition', 'apps/v1', 'v1', 'apiextensions.k8s.io/v1'];

/** Fields that join objects, or have a meaning for the views. */
function wordsFor(path: string): readonly string[] {
  const field = path.split('.').at(-1) ?? '';
  if (path.endsWith('conditions[].type')) return CONDITIONS;
  if (field === 'reason') return REASONS;
  if (field === 'bundle') return VERSIONS.map((version) => `thing.v${version}`);
  if (/^version$|^path\[\]$/.test(field)) return VERSIONS;
  if (field === 'channel') return ['stable', 'fast', '*'];
  return [...NAMES, ...HASHES, ...KINDS];
}

/** Objects of a kind as the API server returns them: defaults filled in. */
function objectsOf<Kind extends CustomKind>(
  kind: Kind,
  names: readonly string[],
): fc.Arbitrary<ObjectOf<Kind['schema']>> {
  const metadata = fc.record(
    {
      name: fc.constantFrom(...names),
      namespace: fc.constantFrom('ops', 'dev'),
      uid: fc.constantFrom('u1', 'u2'),
      generation: fc.constantFrom(1, 2),
      creationTimestamp: fc.constant(TIME),
      deletionTimestamp: fc.constant(TIME),
      labels: fc.constant({ a: '\u202Eb' }),
      managedFields: fc.constantFrom<unknown>(7, [], [{ manager: HOSTILE_TEXTS[15], fieldsV1: { 'f:spec': { 'f:approved': {} } } }]), // prettier-ignore
    },
    { requiredKeys: ['name', 'namespace', 'uid', 'generation', 'creationTimestamp'] },
  );
  const body = valuesOf(toStructuralSchema(kind.schema), { wordsFor });
  return fc
    .tuple(metadata, body)
    .map(([{ namespace, ...unplaced }, fields]): KubeObject => ({
      apiVersion: API_VERSION,
      kind: kind.kind,
      metadata: kind.scope === 'Namespaced' ? { ...unplaced, namespace } : unplaced,
      ...(fields as object),
    }))
    .map((object) => {
      try {
        return parseObject(kind, object);
      } catch {
        return undefined;
      }
    })
    .filter((object) => object !== undefined) as fc.Arbitrary<ObjectOf<Kind['schema']>>;
}

const events = fc
  .record({
    kind: fc.constantFrom('Subscription', 'Revision', 'Catalog', 'Pod'),
    name: fc.constantFrom('gadget', 'gadget-1', '<script>alert(1)</script>'),
    note: fc.constantFrom<unknown>(...HOSTILE_TEXTS, 7),
    type: fc.constantFrom<unknown>('Normal', 'Warning', null),
    count: fc.constantFrom<unknown>(1, 'many'),
    time: fc.constantFrom(...TIMES),
  })
  .map(({ kind, name, note, type, count, time }): KubeObject => ({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'ops', creationTimestamp: TIME },
    regarding: { apiVersion: API_VERSION, kind, name, namespace: 'ops' },
    note,
    type,
    reason: 'Progressing',
    series: { count, lastObservedTime: time },
  }));

const leases = fc
  .constantFrom<unknown>({}, { holderIdentity: '\u202Ea', renewTime: TIME }, { renewTime: 7 }, 7)
  .map((spec): KubeObject => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'slipway-manager', namespace: 'slipway-system' },
    spec,
  }));

/** The objects of a cluster. */
export const anyObjects: fc.Arbitrary<VisibleObjects> = fc.record({
  subscriptions: fc.array(objectsOf(SUBSCRIPTION, ['gadget', 'lamp']), { maxLength: 3 }),
  revisions: fc.array(objectsOf(REVISION, ['gadget-1', 'gadget-2']), { maxLength: 3 }),
  catalogs: fc.array(objectsOf(CATALOG, ['team', 'other']), { maxLength: 2 }),
  registryPolicies: fc.array(objectsOf(REGISTRY_POLICY, ['all']), { maxLength: 1 }),
  events: fc.array(events, { maxLength: 3 }),
  leases: fc.array(leases, { maxLength: 1 }),
});
