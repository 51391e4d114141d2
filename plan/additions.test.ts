/** The objects and fields of Slipway's own that a plan names beside those of the bundle. */
import { describe, expect, test } from 'vitest';
import { describeRef, refOf, type KubeObject } from '../api/object.ts';
import { identityOf } from '../apply/identity.ts';
import { sample, sampleCrd } from '../apply/testing/sample-objects.ts';
import type { PlanInput } from './input.ts';
import { planChange } from './plan.ts';
import { upgrade, type SideParts } from './testing/sides.ts';

const SERVICE = { namespace: 'ops', name: 'widget-manager-service' };

function webhook(kind = 'ValidatingWebhookConfiguration', service: object = SERVICE): KubeObject {
  return sample('admissionregistration.k8s.io/v1', kind, 'guard', {
    webhooks: [{ name: 'guard.example.com', rules: [], clientConfig: { service }, sideEffects: 'None' }],
  });
}

const converted: KubeObject = {
  ...sampleCrd('Gadget'),
  spec: {
    ...(sampleCrd('Gadget')['spec'] as object),
    conversion: { strategy: 'Webhook', webhook: { clientConfig: { service: SERVICE } } },
  },
};
const served = sample('apiregistration.k8s.io/v1', 'APIService', 'v1.example.org', { spec: { service: SERVICE } });
const ofCertManager = sample('cert-manager.io/v1', 'Certificate', 'widget-manager-service-cert', {
  namespace: 'ops',
  spec: { secretName: 'widget-manager-service-cert' },
});
const custom = (kind: string): KubeObject => sample('example.com/v1', kind, 'bundled', { namespace: 'ops' });

const SECRET = 'Secret ops/widget-manager-service-cert';
const AUTHORITY = `the authority of the certificate in ${SECRET}`;
const MARK =
  'Deployment.apps ops/widget-manager spec.template.metadata.annotations[slipway.dev/certificate]: a mark of the certificate that its Pods serve with';
const ROLE = 'ClusterRole.rbac.authorization.k8s.io slipway-own-kinds.ops.widgets';
const BINDING = 'ClusterRoleBinding.rbac.authorization.k8s.io slipway-own-kinds.ops.widgets';

interface Addition {
  readonly because: string;
  readonly before?: SideParts;
  readonly after: SideParts;
  readonly account?: string;
  /** `created Secret ops/name` */
  readonly objects: readonly string[];
  readonly fields?: readonly string[];
}

const ADDITIONS: readonly Addition[] = [
  { because: 'nothing calls the operator', after: {}, objects: [] },
  {
    because: 'the API server calls a webhook over TLS',
    after: { more: [webhook()] },
    objects: [`created ${SECRET}`],
    fields: [
      MARK,
      `ValidatingWebhookConfiguration.admissionregistration.k8s.io guard webhooks[].clientConfig.caBundle: ${AUTHORITY}`,
    ],
  },
  {
    because: 'an upgrade keeps the certificate',
    before: { more: [webhook('MutatingWebhookConfiguration')] },
    after: { more: [webhook()] },
    objects: [`unchanged ${SECRET}`],
    fields: [
      MARK,
      `ValidatingWebhookConfiguration.admissionregistration.k8s.io guard webhooks[].clientConfig.caBundle: ${AUTHORITY}`,
    ],
  },
  {
    because: 'a certificate that nothing needs is pruned',
    before: { more: [webhook()] },
    after: {},
    objects: [`deleted ${SECRET}`],
  },
  {
    because: 'a CRD is converted by the operator',
    after: { more: [converted] },
    objects: [`created ${SECRET}`],
    fields: [
      `CustomResourceDefinition.apiextensions.k8s.io gadgets.example.com spec.conversion.webhook.clientConfig.caBundle: ${AUTHORITY}`,
      MARK,
    ],
  },
  {
    because: 'an APIService is called like a webhook',
    after: { more: [served] },
    objects: [`created ${SECRET}`],
    fields: [`APIService.apiregistration.k8s.io v1.example.org spec.caBundle: ${AUTHORITY}`, MARK],
  },
  {
    because: 'cert-manager issues the certificate, and its objects are part of the manifests',
    after: { more: [webhook(), ofCertManager] },
    objects: [],
  },
  {
    because: 'the webhook of another program gets no authority of ours',
    after: { more: [webhook('ValidatingWebhookConfiguration', { namespace: 'other', name: 'far' })] },
    objects: [],
  },
  {
    because: 'the manager needs rights on kinds that only the bundle defines',
    after: { more: [custom('Widget')] },
    objects: [`created ${ROLE}`, `created ${BINDING}`],
  },
  {
    because: 'a second kind of the bundle needs a further right',
    before: { more: [custom('Widget')] },
    after: { more: [custom('Widget'), sampleCrd('Gadget'), custom('Gadget')] },
    objects: [`changed ${ROLE}`, `unchanged ${BINDING}`],
  },
  {
    because: 'rights that nothing needs are pruned',
    before: { more: [custom('Widget')] },
    after: {},
    objects: [`deleted ${ROLE}`, `deleted ${BINDING}`],
  },
  {
    because: 'an account has its rights from a person',
    after: { more: [custom('Widget')] },
    account: 'installer',
    objects: [],
  },
];

describe('the plan names the additions of Slipway', () => {
  test.each(ADDITIONS)('$because', ({ before = {}, after, account, objects, fields = [] }) => {
    const { additions } = planChange({ ...upgrade(before, after), ...(account !== undefined && { account }) });
    expect(additions.objects.map(({ change, ref }) => `${change} ${describeRef(ref)}`)).toEqual(objects);
    expect(additions.fields.map(({ ref, path, purpose }) => `${describeRef(ref)} ${path}: ${purpose}`)).toEqual(fields);
  });

  test('and an uninstall deletes them', () => {
    const { to: _, ...installed } = upgrade({ more: [webhook(), custom('Widget')] }, {});
    const { objects, fields } = planChange(installed).additions;
    expect(objects.map(({ change }) => change)).toEqual(['deleted', 'deleted', 'deleted']);
    expect(fields).toEqual([]);
  });
});

describe('fields that OLM left on an object', () => {
  const input = upgrade({}, {});
  const deployment = (input.to?.objects ?? []).find(({ kind }) => kind === 'Deployment');
  const path = 'spec.template.spec.containers[manager].env[OPERATOR_CONDITION_NAME]';
  const facts = { formerFields: new Map([[identityOf(refOf(deployment as KubeObject)), [path]]]) };

  test('are named as dropped, and leave the hash as it is', () => {
    const plan = planChange({ ...input, facts });
    expect(plan.additions.dropped?.map((one) => `${describeRef(one.ref)} ${one.path}`)).toEqual([
      `${describeRef(refOf(deployment as KubeObject))} ${path}`,
    ]);
    expect(plan.hash).toBe(planChange(input).hash);
  });

  test('are absent from the plan of any other object', () => {
    expect(planChange(input).additions).not.toHaveProperty('dropped');
  });
});

describe('rights that OLM had given the operator', () => {
  const ref = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', name: 'widget-auth-delegator' };
  const givenByOlm = [{ ref, change: 'deleted', purpose: 'a right that OLM had given the operator' }] as const;
  const named = (input: PlanInput): readonly string[] => planChange(input).additions.objects.map((one) => one.ref.name);

  test('go with an uninstall, and the hash does not depend on them', () => {
    const { to: _to, ...uninstall } = upgrade({}, {});
    expect(named({ ...uninstall, facts: { givenByOlm } })).toContain('widget-auth-delegator');
    expect(planChange({ ...uninstall, facts: { givenByOlm } }).hash).toBe(planChange(uninstall).hash);
  });

  test('stay over an upgrade', () => {
    expect(named(upgrade({}, {}, { givenByOlm }))).not.toContain('widget-auth-delegator');
  });
});
