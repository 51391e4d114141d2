import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import { describeRef, type KubeObject } from '../api/object.ts';
import { sample, sampleCrd, sampleOperator } from '../apply/testing/sample-objects.ts';
import { MASK } from './fields.ts';
import type { PlannedSide } from './input.ts';
import { planChange } from './plan.ts';
import { boundRole, IMAGE, RBAC, side, upgrade } from './testing/sides.ts';

const refs = (
  list: readonly { readonly kind: string; readonly apiVersion: string; readonly name: string }[],
): string[] => list.map(describeRef);

/** Small objects of several kinds, some of which share names. */
const anyObjects = fc
  .uniqueArray(
    fc.record({
      kind: fc.constantFrom('ConfigMap', 'Secret', 'ServiceAccount', 'Service'),
      name: fc.constantFrom('a', 'b', 'c'),
      value: fc.constantFrom('one', 'two'),
    }),
    { selector: ({ kind, name }) => `${kind} ${name}`, maxLength: 8 },
  )
  .map((all) => all.map(({ kind, name, value }) => sample('v1', kind, name, { namespace: 'ops', data: { value } })));

/** The same JSON with the keys of every map in another order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, inner]) => [name, reordered(inner)]),
  );
}

describe('a plan', () => {
  test('of a version to itself is empty', () => {
    fc.assert(
      fc.property(anyObjects, (objects) => {
        const {
          objects: changes,
          rights,
          images,
          crds,
          webhooks,
          risk,
          restarts,
          wayBack,
        } = planChange(upgrade({ more: objects }, { version: '1.0.0', more: objects }));
        expect({ ...changes, unchanged: [] }).toEqual({
          created: [],
          changed: [],
          replaced: [],
          deleted: [],
          kept: [],
          unchanged: [],
        });
        expect(changes.unchanged).toHaveLength(objects.length + sampleOperator().length);
        expect({ rights, images, webhooks }).toEqual({
          rights: { gained: [], lost: [] },
          images: { added: [], removed: [] },
          webhooks: { added: [], removed: [] },
        });
        expect({ crds, risk, restarts, wayBack }).toEqual({
          crds: [],
          risk: { level: 'none', reasons: [] },
          restarts: [],
          wayBack: { exists: true, because: [] },
        });
      }),
      { numRuns: runsOf(20) },
    );
  });

  test('in the opposite direction swaps created and deleted objects, and keeps the changed ones', () => {
    fc.assert(
      fc.property(anyObjects, anyObjects, (before, after) => {
        const there = planChange(upgrade({ objects: before }, { objects: after })).objects;
        const back = planChange(upgrade({ objects: after }, { objects: before })).objects;
        expect(refs(back.created)).toEqual(refs(there.deleted));
        expect(refs(back.deleted)).toEqual(refs(there.created));
        expect(back.changed.map(({ ref }) => describeRef(ref))).toEqual(
          there.changed.map(({ ref }) => describeRef(ref)),
        );
        expect(back.unchanged).toEqual(there.unchanged);
      }),
    );
  });

  test('lists each object of both sides exactly once', () => {
    fc.assert(
      fc.property(anyObjects, anyObjects, (before, after) => {
        const { created, changed, replaced, deleted, kept, unchanged } = planChange(
          upgrade({ objects: before }, { objects: after }),
        ).objects;
        const listed = [
          ...created,
          ...deleted,
          ...unchanged,
          ...[...changed, ...replaced, ...kept].map(({ ref }) => ref),
        ];
        const all = new Set([...before, ...after].map((object) => describeRef({ ...object, ...object.metadata })));
        expect(refs(listed).sort()).toEqual([...all].sort());
      }),
    );
  });

  test('changes neither its hash nor its content if objects and keys have another order', () => {
    fc.assert(
      fc.property(anyObjects, anyObjects, (before, after) => {
        const turned = (objects: readonly KubeObject[]): readonly KubeObject[] =>
          objects.toReversed().map((object) => reordered(object) as KubeObject);
        const plan = planChange(upgrade({ more: before }, { more: after }));
        expect(planChange(upgrade({ more: turned(before) }, { more: turned(after) }))).toEqual(plan);
      }),
      { numRuns: runsOf(50) },
    );
  });
});

describe('the hash of a plan', () => {
  const base = upgrade({}, {});
  const { hash } = planChange(base);

  test.each([
    { because: 'the version to be decides', input: upgrade({}, { version: '1.0.2' }) },
    { because: 'the installed version decides', input: upgrade({ version: '0.9.0' }, {}) },
    { because: 'an object to be decides', input: upgrade({}, { more: [sampleCrd('Gadget')] }) },
    { because: 'an installed object decides', input: upgrade({ more: [sampleCrd('Gadget')] }, {}) },
    { because: 'the Subscription decides', input: { ...base, subscription: 'ops/others' } },
    {
      because: 'a requirement decides',
      input: upgrade(
        {},
        { properties: [{ type: 'olm.package.required', value: { packageName: 'x', versionRange: '1' } }] },
      ),
    },
    { because: 'a waiver decides', input: { ...base, waivers: [{ crd: 'widgets.example.com', rule: 'maximum' }] } },
    {
      because: 'objects are stored in a version that the manifest does not expect',
      input: { ...base, facts: { storedVersions: new Map([['widgets.example.com', ['v1', 'v0']]]) } },
    },
  ])('is another one: $because', ({ input }) => {
    expect(planChange(input).hash).not.toBe(hash);
  });

  test.each([
    {
      because: 'the image is found by its objects, wherever it was read',
      input: { ...base, to: { ...side({ version: '1.0.1' }), image: IMAGE } },
    },
    {
      because: 'users create custom resources all the time',
      input: { ...base, facts: { customResources: new Map([['widgets.example.com', 5]]) } },
    },
    {
      because: 'the cluster is as the manifests say',
      input: { ...base, facts: { storedVersions: new Map([['widgets.example.com', ['v1']]]), existing: new Map() } },
    },
    {
      because: 'a property states no requirement',
      input: upgrade({}, { properties: [{ type: 'olm.maturity', value: 'alpha' }] }),
    },
  ])('is the same: $because', ({ input }) => {
    expect(planChange(input).hash).toBe(hash);
  });

  test('is pinned in format 1, so that approvals of earlier releases are valid, with additions of Slipway or without', () => {
    const webhook = sample('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'guard', {
      webhooks: [
        {
          name: 'guard.example.com',
          rules: [],
          clientConfig: { service: { namespace: 'ops', name: 'widget-manager-service' } },
          sideEffects: 'None',
        },
      ],
    });
    const own = sample('example.com/v1', 'Widget', 'bundled', { namespace: 'ops' });
    const plan = planChange(upgrade({}, { more: [webhook, own] }));
    expect(plan.additions.objects).toHaveLength(3);
    expect(plan.hash).toBe('sha256:f5447031bb5844adc5669264df842b7da0f02ea05d07f3e99420161b8734ac93');
  });

  test('does not depend on the order in which a caller passes the objects', () => {
    const turned = (one: PlannedSide | undefined): PlannedSide => ({
      ...(one as PlannedSide),
      objects: (one as PlannedSide).objects.toReversed(),
    });
    expect(planChange({ ...base, from: turned(base.from), to: turned(base.to) })).toEqual(planChange(base));
  });

  test('is another one if an object that is to be created belongs to another owner', () => {
    const input = upgrade({}, { more: [sample('v1', 'ConfigMap', 'extra', { namespace: 'ops' })] });
    const owned = (owner: string): string =>
      planChange({ ...input, facts: { existing: new Map([['ConfigMap|ops|extra', { owner }]]) } }).hash;
    expect(new Set([planChange(input).hash, owned('a'), owned('b')]).size).toBe(3);
  });
});

describe('field by field', () => {
  const fieldsOf = (before: KubeObject, after: KubeObject): readonly unknown[] =>
    planChange(upgrade({ objects: [before] }, { objects: [after] })).objects.changed.flatMap(({ fields }) => fields);

  test('values of a Secret are masked, and its names are shown', () => {
    const secret = (fields: object): KubeObject => sample('v1', 'Secret', 'login', { namespace: 'ops', ...fields });
    expect(
      fieldsOf(
        secret({ data: { password: 'b2xk', kept: 'c2FtZQ==' }, stringData: { gone: 'old text' } }),
        secret({ data: { password: 'bmV3', kept: 'c2FtZQ==' }, stringData: { user: 'new text' } }),
      ),
    ).toEqual([
      { path: 'data.password', from: MASK, to: MASK },
      { path: 'stringData.gone', from: MASK },
      { path: 'stringData.user', to: MASK },
    ]);
  });

  test.each([
    { because: 'the whole data are new', before: {}, after: { data: { password: 'bmV3' } } },
    { because: 'the whole data are gone', before: { data: { password: 'bmV3' } }, after: {} },
    {
      because: 'kubectl notes the manifest',
      before: {},
      after: { data: { password: 'bmV3' } },
    },
  ])('no value of a Secret is shown: $because', ({ before, after }) => {
    const secret = (fields: object): KubeObject => sample('v1', 'Secret', 'login', { namespace: 'ops', ...fields });
    const printed = JSON.stringify(planChange(upgrade({ objects: [secret(before)] }, { objects: [secret(after)] })));
    expect(printed).toContain('data.password');
    expect(printed).not.toContain('bmV3');
  });

  test('a variable of a container is masked if its name says that it is secret', () => {
    const pod = (env: readonly object[]): KubeObject =>
      sample('v1', 'Pod', 'one', { namespace: 'ops', spec: { containers: [{ name: 'main', env }] } });
    expect(
      fieldsOf(
        pod([
          { name: 'DB_PASSWORD', value: 'old' },
          { name: 'LEVEL', value: 'info' },
        ]),
        pod([
          { name: 'DB_PASSWORD', value: 'new' },
          { name: 'LEVEL', value: 'debug' },
          { name: 'API_TOKEN', value: 'abc' },
        ]),
      ),
    ).toEqual([
      { path: 'spec.containers[main].env[DB_PASSWORD].value', from: MASK, to: MASK },
      { path: 'spec.containers[main].env[LEVEL].value', from: '"info"', to: '"debug"' },
      { path: 'spec.containers[main].env[API_TOKEN]', to: MASK },
    ]);
  });

  test('a long list of changes is cut, and the rest counted', () => {
    const data = (value: string): object =>
      Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`key-${at}`, value]));
    const map = (value: string): KubeObject =>
      sample('v1', 'ConfigMap', 'many', { namespace: 'ops', data: data(value) });
    const [change] = planChange(upgrade({ objects: [map('a')] }, { objects: [map('b')] })).objects.changed;
    expect([change?.fields.length, change?.more]).toEqual([40, 10]);
  });
});

describe('a fact that is not known', () => {
  const change = upgrade({}, { objects: sampleOperator({ kind: 'Gadget', image: IMAGE }) });

  test('is a value of its own, and is listed', () => {
    const { crds, unknown } = planChange(change);
    expect(crds.map(({ crd, customResources, storedVersions }) => [crd, customResources, storedVersions])).toEqual([
      ['gadgets.example.com', 0, []],
      ['widgets.example.com', 'NotKnown', 'NotKnown'],
    ]);
    expect(unknown).toEqual([
      'how many custom resources of widgets.example.com exist (NotKnown)',
      'in which versions objects of widgets.example.com are stored (NotKnown)',
      'whether objects that are to be created exist already (NotKnown)',
    ]);
  });

  test('is not listed once it is known, be it none', () => {
    const facts = {
      customResources: new Map([['widgets.example.com', 0]]),
      storedVersions: new Map([['widgets.example.com', ['v1']]]),
      existing: new Map([['CustomResourceDefinition.apiextensions.k8s.io||gadgets.example.com', 'absent'] as const]),
    };
    expect(planChange({ ...change, facts }).unknown).toEqual([]);
    expect(planChange({ ...change, facts: { ...facts, existing: new Map() } }).unknown).toEqual([
      'whether CustomResourceDefinition.apiextensions.k8s.io gadgets.example.com exists already (NotKnown)',
    ]);
  });
});

describe('an uninstall', () => {
  const { to: _, ...installed } = upgrade({}, {});

  test('deletes all objects, and keeps a CRD that has custom resources', () => {
    const customResources = new Map([['widgets.example.com', 2]]);
    const { objects, risk } = planChange({ ...installed, facts: { customResources } });
    expect(objects.deleted).toHaveLength(sampleOperator().length - 1);
    expect(objects.kept.map(({ message }) => message)).toEqual(['stays, as it has 2 custom resources']);
    expect(risk.level).toBe('low');
  });

  test.each([
    { policy: 'Retain', kept: ['widgets.example.com'], because: 'the CRD stays with its objects' },
    { policy: 'Delete', kept: [], because: 'the objects go first' },
    {
      policy: 'Block',
      kept: sampleOperator().map(({ metadata }) => metadata.name),
      because: 'nothing is deleted before they are',
    },
  ] as const)('with custom resources under $policy: $because', ({ policy, kept }) => {
    const facts = { customResources: new Map([['widgets.example.com', 1]]) };
    const { objects } = planChange({ ...installed, customResources: policy, facts });
    expect(objects.kept.map(({ ref }) => ref.name).toSorted()).toEqual([...kept].sort());
    expect(objects.deleted).toHaveLength(sampleOperator().length - kept.length);
  });

  test('is irreversible if custom resources are deleted, and if their number is not known', () => {
    const deleting = { ...installed, customResources: 'Delete' } as const;
    const risksOf = (count: number | undefined): readonly string[] => {
      const customResources = new Map(count === undefined ? [] : [['widgets.example.com', count] as const]);
      return planChange({ ...deleting, facts: { customResources } }).risk.reasons.map(({ reason }) => reason);
    };
    expect([risksOf(2), risksOf(0), risksOf(undefined)]).toEqual([
      ['DataDeleted', 'ObjectsDeleted'],
      ['ObjectsDeleted'],
      ['DataDeleted', 'ObjectsDeleted'],
    ]);
  });
});

describe('rights', () => {
  const gainedBy = (more: readonly KubeObject[], before: readonly KubeObject[] = []): readonly string[] =>
    planChange(upgrade({ more: before }, { more })).rights.gained.map(({ words }) => words);
  const secrets = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }];

  test.each([
    { because: 'a role that is not bound gives no right', more: boundRole(secrets).slice(0, 1), says: [] },
    {
      because: 'a binding in a namespace gives its rights there only',
      more: [
        sample(`${RBAC}/v1`, 'Role', 'reader', { namespace: 'other', rules: secrets }),
        sample(`${RBAC}/v1`, 'RoleBinding', 'reader', {
          namespace: 'other',
          roleRef: { kind: 'Role', name: 'reader' },
          subjects: [{ kind: 'ServiceAccount', name: 'widget-manager', namespace: 'ops' }],
        }),
      ],
      says: ['may read Secrets in the namespace other'],
    },
    {
      because: 'names limit a right',
      more: boundRole([{ ...secrets[0], resourceNames: ['b', 'a'] }]),
      says: ['may read Secrets named a and b in every namespace'],
    },
    {
      because: 'paths of the API server are rights, too',
      more: boundRole([{ nonResourceURLs: ['/metrics'], verbs: ['get'] }]),
      says: ['may send get requests to the path /metrics of the API server'],
    },
    {
      because: 'the bundle brings a role that an aggregating one collects',
      more: [
        ...boundRole([], { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'yes' } }] } }),
        sample(`${RBAC}/v1`, 'ClusterRole', 'part', {
          metadata: { name: 'part', labels: { part: 'yes' } },
          rules: secrets,
        }),
      ],
      says: [
        'may read Secrets in every namespace',
        'has all rights of every ClusterRole with the labels part=yes in every namespace',
      ],
    },
    {
      because: 'a rule of more combinations than memory can hold is named as a whole',
      more: boundRole([{ apiGroups: numbers(300), resources: numbers(300), verbs: numbers(300) }]),
      says: [expect.stringMatching(/^has rules with 27000000 combinations in every namespace/)],
    },
  ])('$because', ({ more, says }) => {
    expect(gainedBy(more)).toEqual(says);
  });

  test('a rule of too many combinations is no gain if it is there already', () => {
    const huge = boundRole([{ apiGroups: numbers(300), resources: numbers(300), verbs: numbers(300) }]);
    expect(gainedBy(huge, huge)).toEqual([]);
  });

  test('the rules of a ClusterRole of the cluster count once they are known', () => {
    const input = upgrade({}, { more: boundRole([]).slice(1) });
    const facts = {
      clusterRoles: new Map([
        [
          'more',
          [
            {
              ...(secrets[0] as { verbs: string[] }),
              apiGroups: [''],
              resources: ['secrets'],
              resourceNames: [],
              nonResourceURLs: [],
            },
          ],
        ],
      ]),
    };
    expect(planChange({ ...input, facts }).rights.gained.map(({ words }) => words)).toEqual([
      'may read Secrets in every namespace',
    ]);
  });

  test('a webhook that is wider than before is a gain, and one that is narrower is a loss', () => {
    const hook = (resources: readonly string[], more: object = {}, rule: object = {}): readonly KubeObject[] => [
      sample('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'hook', {
        webhooks: [
          {
            name: 'h',
            rules: [{ apiGroups: [''], apiVersions: ['*'], operations: ['CREATE'], resources, ...rule }],
            ...more,
          },
        ],
      }),
    ];
    const limited = hook(['pods'], { namespaceSelector: { matchLabels: { on: 'yes' } } });
    expect(gainedBy(hook(['pods']), limited)).toEqual(['intercepts writes of Pods']);
    expect(gainedBy(limited, hook(['pods']))).toEqual([]);
    expect(gainedBy(hook(['pods']), hook(['*']))).toEqual([]);
    const conditional = hook(['pods'], { matchConditions: [{ name: 'some', expression: 'false' }] });
    expect(gainedBy(hook(['pods']), conditional)).toEqual(['intercepts writes of Pods']);
    const exact = { apiVersions: ['v1'] };
    expect(gainedBy(hook(['pods'], {}, exact), hook(['pods']))).toEqual([]);
    expect(gainedBy(hook(['pods']), hook(['pods'], { matchPolicy: 'Exact' }, exact))).toEqual([
      'intercepts writes of Pods',
    ]);
    expect(gainedBy(hook(['pods']), hook(['pods'], {}, exact))).toEqual([]);
  });
});

test('a webhook of more combinations than memory can hold is described by the first ones', () => {
  const rules = [{ apiGroups: numbers(5000), resources: numbers(5000), operations: ['CREATE'] }];
  const hook = sample('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'hook', {
    webhooks: [{ name: 'h', rules }],
  });
  const [added] = planChange(upgrade({}, { more: [hook] })).webhooks.added;
  expect(added?.intercepts).toBe('create of r0.r0, r1.r0, r2.r0, r3.r0, r4.r0, r5.r0 and 24999994 more');
});

function numbers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `r${at}`);
}
