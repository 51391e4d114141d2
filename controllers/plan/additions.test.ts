/** A roll-out adds to the manifests exactly the objects and fields that the plan names. */
import { describe, expect, test } from 'vitest';
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { sample, sampleCrd } from '../../apply/testing/sample-objects.ts';
import { prepareObjects } from '../../apply/prepare.ts';
import { identityOf } from '../../apply/identity.ts';
import { renderBundle } from '../../bundles/render/render.ts';
import { makeBundle, makeCrd, makeDeployment, WEBHOOK } from '../../bundles/testing/bundle.ts';
import { createFakeCluster } from '../../kube/testing/fake-cluster.ts';
import { planChange } from '../../plan/plan.ts';
import { addCertificates } from '../revision/certificates/add.ts';
import { withAccess } from '../revision/own-kinds/access.ts';

const owner = { namespace: 'ops', name: 'gadgets', uid: 'subscription-uid' };
const prepare = { owner, package: 'gadget-operator', revision: 'gadgets-1', installNamespace: 'ops' };
const webhooks = ['ValidatingAdmissionWebhook', 'MutatingAdmissionWebhook', 'ConversionWebhook'].map((type) => ({
  ...WEBHOOK,
  type,
  generateName: `${type.toLowerCase()}.example.com`,
  conversionCRDs: ['gadgets.example.com'],
}));
const BUNDLES: readonly { readonly because: string; readonly objects: readonly KubeObject[] }[] = [
  {
    because: 'a bundle without webhooks',
    objects: renderBundle(makeBundle({ deployments: [makeDeployment('gadget-manager')] }), {
      namespace: 'ops',
      certificates: 'manager',
    }),
  },
  {
    because: 'a bundle with every type of webhook',
    objects: renderBundle(
      makeBundle({
        deployments: [makeDeployment('gadget-manager'), makeDeployment('other')],
        objects: [makeCrd()],
        spec: {
          customresourcedefinitions: { owned: [{ name: 'gadgets.example.com', version: 'v1', kind: 'Gadget' }] },
          webhookdefinitions: webhooks,
        },
      }),
      { namespace: 'ops', certificates: 'manager' },
    ),
  },
  {
    because: 'a bundle with objects of its own kinds',
    objects: [sampleCrd('Widget'), sample('example.com/v1', 'Widget', 'bundled', { namespace: 'ops', spec: {} })],
  },
];

async function rollOut(prepared: readonly KubeObject[]): Promise<readonly KubeObject[]> {
  const certified = await addCertificates(prepared, {
    cluster: createFakeCluster(),
    prepare,
    inventory: [],
    now: new Date('2026-01-01T00:00:00Z'),
    settled: true,
    signal: new AbortController().signal,
  });
  const metadata = { namespace: 'ops', name: 'gadgets-1' };
  const revision = { metadata, spec: { subscription: 'gadgets', package: 'gadget-operator' } } as Revision;
  return withAccess(revision, certified, { namespace: 'slipway-system', name: 'slipway-manager' });
}

describe('a roll-out adds what its plan names', () => {
  test.each(BUNDLES)('$because', async ({ objects }) => {
    const prepared = prepareObjects(objects, prepare);
    const to = { bundle: 'gadget-operator.v1.0.0', version: '1.0.0', objects: prepared, properties: [] };
    const { additions } = planChange({ package: 'gadget-operator', subscription: 'ops/gadgets', to });
    const written = await rollOut(prepared);
    const known = new Map(prepared.map((object) => [identityOf(refOf(object)), object]));
    const added = written.filter((object) => !known.has(identityOf(refOf(object))));
    const changed = written.filter((object) => known.has(identityOf(refOf(object))) && !prepared.includes(object));
    expect(additions.objects.map(({ change, ref }) => `${change} ${describeRef(ref)}`)).toEqual(
      added.map((object) => `created ${describeRef(refOf(object))}`).toSorted(),
    );
    expect([...new Set(additions.fields.map(({ ref }) => describeRef(ref)))]).toEqual(
      changed.map((object) => describeRef(refOf(object))).toSorted(),
    );
  });
});
