/** Answers to the questions of views: as they come from a cluster, and as hostile catalogs, Pods and Secrets make them. */
import fc from 'fast-check';
import type { KubeObject } from '../../../api/object.ts';
import { anyPackage } from '../../../resolver/testing/random-packages.ts';
import type { Plan } from '../../../plan/model.ts';
import type { StoredPlan } from '../../../plan/stored-plan.ts';
import type { Answer, Ask, Asked, ReadObject } from '../ask.ts';
import { reduceListing } from '../reduce-content.ts';

const EVIL = '<img src=x onerror=alert(1)>\u202E\u0000\uD800';
const FAILURE = { failure: { reason: 'Forbidden', message: EVIL } };

const CRASHING = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'False' }],
  containerStatuses: [{ name: 'manager', restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } } }],
};

const WRITERS = [{ manager: EVIL, fieldsV1: { 'f:spec': { 'k:{"name":"a"}': { '.': {} }, 'k:odd': 7 } } }];

function objectNamed(kind: string, status: unknown): KubeObject {
  const metadata = {
    name: 'gadget',
    namespace: 'ops',
    uid: 'd1',
    generation: 1,
    ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'gadget', uid: 'd1' }],
    managedFields: WRITERS,
  };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata,
    spec: { containers: [{ name: 'manager' }] },
    status,
  };
}

const readObject: fc.Arbitrary<Answer<ReadObject>> = fc.oneof(
  fc.constant(FAILURE),
  fc.constant({ value: {} }),
  fc.constantFrom<unknown>(undefined, 7, CRASHING, { replicas: 1, observedGeneration: 1 }).map((status) => ({
    value: {
      object: objectNamed('Deployment', status),
      replicaSets: [objectNamed('ReplicaSet', {})],
      pods: [objectNamed('Pod', status)],
      logs: [{ pod: 'gadget', container: EVIL, run: 'previous' as const, text: `${EVIL}\n\tat x\n`.repeat(30) }],
    },
  })),
);

const GIVEN = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: EVIL };

/** The names of objects, and of the accounts that they bind, are those of others. */
const givenByOlm = fc.constantFrom<NonNullable<Asked['givenByOlm']>>(
  FAILURE,
  { failure: { reason: 'InputInvalid', message: EVIL } },
  { value: { rights: [], held: EVIL } },
  { value: { rights: [], begun: [{ operator: { from: 'OLMv1', name: EVIL }, stage: 'TakingOver' }] } },
  { value: { rights: [{ due: [objectNamed('ClusterRole', {})], kept: [{ ref: GIVEN, why: EVIL }] }] } },
);

/** A Secret of a person may have any content under the key of a plan. */
const storedPlan: fc.Arbitrary<Answer<StoredPlan>> = fc.constantFrom<Answer<StoredPlan>>(
  FAILURE,
  { value: {} as StoredPlan },
  { value: { plan: { hash: `sha256:${'a'.repeat(64)}` } as Plan, heldBy: [] } },
);

const documents = fc.array(
  fc.record({
    schema: fc.constantFrom<unknown>('olm.package', 'olm.channel', 'olm.deprecations', 7),
    name: fc.constantFrom<unknown>('thing', EVIL, '', null),
    package: fc.constantFrom<unknown>('thing', EVIL),
    defaultChannel: fc.constantFrom<unknown>('stable', {}),
    description: fc.constantFrom<unknown>(EVIL, 'x'.repeat(100_000), 7),
    entries: fc.constantFrom<unknown>([], 7, [{ name: 'a', replaces: 7, skips: 'x' }, null]),
    icon: fc.constantFrom<unknown>(undefined, { mediatype: 'text/html', base64data: EVIL }),
  }),
  { maxLength: 5 },
);

/** Answers of the form that a question asks for; each may be missing, while it is being read. */
export function answersTo(ask: Ask): fc.Arbitrary<Asked> {
  const { access = [], objects = [], content } = ask;
  const catalogs = content?.catalogs ?? [];
  return fc.record(
    {
      access: fc.tuple(...access.map(() => fc.constantFrom(true, false, undefined))),
      objects: fc.tuple(...objects.map(() => readObject)),
      customResources: fc.constantFrom<NonNullable<Asked['customResources']>>(FAILURE, { value: new Map() }),
      givenByOlm,
      plan: storedPlan,
      listings: fc
        .tuple(
          ...catalogs.map(() =>
            fc.oneof(
              fc.constant(FAILURE),
              documents.map((all) => ({ value: reduceListing(all) })),
            ),
          ),
        )
        .map((answers) => new Map(answers.map((one, at) => [catalogs[at] ?? '', one] as const))),
      packages: fc
        .tuple(
          ...catalogs.map(() =>
            fc.oneof(
              fc.constant(FAILURE),
              fc.constant({ value: undefined }),
              anyPackage.map((one) => ({ value: { content: one, hasIcon: true, about: new Map() } })),
            ),
          ),
        )
        .map((answers) => new Map(answers.map((one, at) => [catalogs[at] ?? '', one] as const))),
      versions: fc.constantFrom<NonNullable<Asked['versions']>>(FAILURE, {
        value: { kubernetes: 'v1.34.1', console: '1.0.0' },
      }),
    },
    { requiredKeys: [] },
  );
}
