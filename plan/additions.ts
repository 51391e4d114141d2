/**
 * Finds the objects and fields that Slipway itself adds to the manifests of a bundle: the certificates of webhooks with
 * their authorities, and the rights of the manager on kinds that the bundle defines. They follow from the manifests, so the
 * hash of a plan covers them without having them as an input. Copies of pull secrets are left out: policies offer them, and
 * they come and go with these. Pure.
 */
import { compareText } from '../api/compare-text.ts';
import { identityOf } from '../apply/identity.ts';
import { canonicalJson } from '../api/json.ts';
import { describeRef, groupKind, refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { fieldsOf, textOf } from '../api/untyped.ts';
import { requiredIn, type RequiredCertificate } from '../bundles/render/required-certificates.ts';
import type { PlanInput } from './input.ts';
import type { AddedField, AddedObject, Additions } from './model.ts';
import { accessName, accessRules } from './own-kinds.ts';

/** The additions of a change, by kind and name. */
export function planAdditions(input: PlanInput): Additions {
  const [before, after] = [input.from, input.to].map((side) => addedTo(side?.objects ?? [], input));
  const both = new Map([...(before ?? []), ...(after ?? [])]);
  const objects = [...both].map(([identity, { ref, purpose }]): AddedObject => {
    const [old, next] = [before?.get(identity)?.content, after?.get(identity)?.content];
    return { ref, purpose, change: changeOf(old, next) };
  });
  const dropped = fieldsDropped(input);
  return {
    objects: [...objects, ...givenByOlm(input)].toSorted(byRef),
    fields: fieldsAdded(input.to?.objects ?? []).toSorted(byRef),
    ...(dropped.length > 0 && { dropped }),
  };
}

/** They are facts of the cluster as well. */
function givenByOlm({ to, facts = {} }: PlanInput): readonly AddedObject[] {
  return to === undefined ? (facts.givenByOlm ?? []) : [];
}

/** They belong to the cluster, not to the manifests: the hash does not cover them. */
function fieldsDropped({ to, facts = {} }: PlanInput): readonly AddedField[] {
  const purpose = 'dropped: OLM had added it, and no version sets it';
  return (to?.objects ?? []).flatMap((object) => {
    const paths = facts.formerFields?.get(identityOf(refOf(object))) ?? [];
    return paths.map((path) => ({ ref: refOf(object), path, purpose }));
  });
}

function byRef(a: { readonly ref: ObjectRef }, b: { readonly ref: ObjectRef }): number {
  return compareText(describeRef(a.ref), describeRef(b.ref));
}

function changeOf(before: string | undefined, after: string | undefined): AddedObject['change'] {
  if (before === undefined) return 'created';
  if (after === undefined) return 'deleted';
  return before === after ? 'unchanged' : 'changed';
}

interface Added {
  readonly ref: ObjectRef;
  readonly purpose: string;
  /** Two of the same content are not written again. */
  readonly content: string;
}

function addedTo(objects: readonly KubeObject[], input: PlanInput): ReadonlyMap<string, Added> {
  const all = [...issuedCertificates(objects).map(secretOf), ...accessTo(objects, input)];
  return new Map(all.map((one) => [identityOf(one.ref), one]));
}

/** The certificates that the manager issues; those of cert-manager are objects of the manifests. */
export function issuedCertificates(objects: readonly KubeObject[]): readonly PlacedCertificate[] {
  const others = new Set(
    objects
      .filter((object) => groupKind(object) === 'Certificate.cert-manager.io')
      .map(({ spec }) => textOf(fieldsOf(spec)['secretName'])),
  );
  const deployments = new Map(
    objects.filter((object) => groupKind(object) === 'Deployment.apps').map((one) => [one.metadata.name, refOf(one)]),
  );
  return requiredIn(objects)
    .filter(({ secretName }) => !others.has(secretName))
    .flatMap((required) => {
      const deployment = deployments.get(required.deployment);
      return deployment === undefined ? [] : [{ required, deployment }];
    });
}

/** A certificate with the Deployment that serves with it. */
interface PlacedCertificate {
  readonly required: RequiredCertificate;
  readonly deployment: ObjectRef;
}

function secretOf(placed: PlacedCertificate): Added {
  const { required, deployment } = placed;
  return {
    ref: secretRef(placed),
    purpose: `the certificate of ${describeRef(deployment)}`,
    // The pair in it is kept by an upgrade, as long as it has these names.
    content: canonicalJson(required.dnsNames),
  };
}

function secretRef({ required, deployment: { namespace } }: PlacedCertificate): ObjectRef {
  const place = namespace === undefined ? {} : { namespace };
  return { apiVersion: 'v1', kind: 'Secret', name: required.secretName, ...place };
}

const RBAC = 'rbac.authorization.k8s.io/v1';

/** An account has its rights from a person; the manager gives itself those that it needs. */
function accessTo(objects: readonly KubeObject[], { subscription, account }: PlanInput): readonly Added[] {
  const rules = account === undefined ? accessRules(objects) : [];
  if (rules.length === 0) return [];
  const [namespace = '', owner = ''] = subscription.split('/');
  const name = accessName({ namespace, name: owner });
  const purpose = "the manager's rights on the custom resources of the bundle";
  return [
    { ref: { apiVersion: RBAC, kind: 'ClusterRole', name }, purpose, content: canonicalJson(rules) },
    { ref: { apiVersion: RBAC, kind: 'ClusterRoleBinding', name }, purpose, content: '' },
  ];
}

function fieldsAdded(objects: readonly KubeObject[]): readonly AddedField[] {
  return issuedCertificates(objects).flatMap(({ required, deployment }) => {
    const purpose = `the authority of the certificate in ${describeRef(secretRef({ required, deployment }))}`;
    return [
      ...required.injectInto.map((ref) => ({ ref, path: placeOfAuthority(ref), purpose })),
      {
        ref: deployment,
        path: 'spec.template.metadata.annotations[slipway.dev/certificate]',
        purpose: 'a mark of the certificate that its Pods serve with',
      },
    ];
  });
}

function placeOfAuthority(ref: ObjectRef): string {
  switch (groupKind(ref)) {
    case 'APIService.apiregistration.k8s.io':
      return 'spec.caBundle';
    case 'CustomResourceDefinition.apiextensions.k8s.io':
      return 'spec.conversion.webhook.clientConfig.caBundle';
    default:
      return 'webhooks[].clientConfig.caBundle';
  }
}
