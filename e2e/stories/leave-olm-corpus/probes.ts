/**
 * Calls that work as long as an operator does, derived from its objects: admissions that its webhooks deny, conversions of
 * its custom resources, its aggregated APIs, and the rights of its ServiceAccounts.
 */
import { refOf, type KubeObject } from '../../../api/object.ts';
import { fieldsOf, isRecord, itemsOf, listOf, textOf, type Fields } from '../../../api/untyped.ts';
import { DENIED_AT } from '../../cluster/olm/denied-at.ts';
import type { Loaded } from './load.ts';
import { targetsOf } from './operators.ts';
import type { Probe, Probed, Scene } from './probe.ts';
import { NotAllowed, rightsOf } from './rights.ts';

/** The probes of one operator of OLM v0. */
export async function probesOf(scene: Scene, operator: Loaded): Promise<readonly Probe[]> {
  const { namespace } = operator;
  const { name } = operator.installed;
  const path = `/apis/operators.coreos.com/v1alpha1/namespaces/${namespace}/clusterserviceversions/${name}`;
  const csv = (await scene.cluster.read(path)) as unknown as KubeObject;
  const isOwn = ({ metadata }: KubeObject): boolean =>
    metadata.labels?.['olm.owner'] === name || metadata.name === name;
  const bindings = { labelSelector: 'olm.managed=true', isOwn };
  return workingProbes(scene, { name, namespace, targets: targetsOf(operator), csv, bindings });
}

/** The probes of one operator that succeed now: samples of bundles are not always valid. */
export async function workingProbes(scene: Scene, operator: Probed): Promise<readonly Probe[]> {
  const found = [
    ...(await rightsOf(scene, operator)),
    ...(await admissionsOf(scene, operator)),
    ...(await conversionsOf(scene, operator)),
    ...apisOf(scene, operator),
  ];
  const working: Probe[] = [];
  for (const probe of found) if (await probe.ask().then(() => true, isSampleInvalid)) working.push(probe);
  return working;
}

/** A right that is absent at the beginning is a defect of the test. */
function isSampleInvalid(error: unknown): boolean {
  if (error instanceof NotAllowed) throw error;
  return false;
}

/** The samples of the ClusterServiceVersion, by their kinds. */
function samplesOf({ metadata }: KubeObject): readonly KubeObject[] {
  const text = metadata.annotations?.['alm-examples'] ?? '[]';
  const parsed = JSON.parse(text) as unknown;
  return (Array.isArray(parsed) ? parsed : [parsed]).filter((one) => isRecord(one)) as unknown as KubeObject[];
}

/** The sample in a namespace that the operator watches, under another name. */
function placed(sample: KubeObject, operator: Probed, crd: KubeObject, name: string): KubeObject {
  const isNamespaced = fieldsOf(crd['spec'])['scope'] === 'Namespaced';
  const namespace = operator.targets[0] ?? operator.namespace;
  const { annotations = {} } = sample.metadata;
  return { ...sample, metadata: { name, annotations, ...(isNamespaced && { namespace }) } };
}

async function crdsOf({ client }: Scene, csv: KubeObject): Promise<readonly KubeObject[]> {
  const { owned } = fieldsOf(fieldsOf(csv['spec'])['customresourcedefinitions']);
  const crds: KubeObject[] = [];
  for (const { name } of listOf(owned)) {
    const kind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
    const crd = await client.get({ ...kind, name: textOf(name) });
    if (crd !== undefined) crds.push(crd);
  }
  return crds;
}

function sampleFor(crd: KubeObject, samples: readonly KubeObject[]): KubeObject | undefined {
  const { group, names } = fieldsOf(crd['spec']);
  return samples.find(
    ({ apiVersion, kind }) => kind === fieldsOf(names)['kind'] && apiVersion.split('/')[0] === textOf(group),
  );
}

/** Each path at which a webhook is called for the creation of one of its samples: an object that is to be denied there. */
async function admissionsOf(scene: Scene, operator: Probed): Promise<readonly Probe[]> {
  const { client } = scene;
  const { name, csv } = operator;
  const samples = samplesOf(csv);
  const crds = await crdsOf(scene, csv);
  const webhooks = listOf(fieldsOf(csv['spec'])['webhookdefinitions']);
  return webhooks.flatMap(({ webhookPath, rules, type }) => {
    if (type === 'ConversionWebhook') return [];
    const crd = crds.find((one) => listOf(rules).some((rule) => isCreation(rule, one)));
    const sample = crd && sampleFor(crd, samples);
    if (crd === undefined || sample === undefined) return [];
    const path = textOf(webhookPath);
    const whole = placed(sample, operator, crd, 'is-denied');
    const annotations = { ...whole.metadata.annotations, [DENIED_AT]: path };
    const object = { ...whole, metadata: { ...whole.metadata, annotations } };
    const ask = async (): Promise<void> => {
      const answer = await client.create(object, { dryRun: true }).then(() => 'admitted', String);
      if (!answer.includes(`denied at ${path}`)) throw new Error(`not denied, but ${answer}`);
    };
    return [{ operator: name, sort: 'admission' as const, name: `${name}: ${path}`, ask }];
  });
}

function isCreation(rule: Fields, crd: KubeObject): boolean {
  const { group, names } = fieldsOf(crd['spec']);
  const has = (list: string, value: unknown): boolean =>
    itemsOf(rule[list]).some((one) => one === '*' || one === value);
  return has('apiGroups', group) && has('operations', 'CREATE') && has('resources', fieldsOf(names)['plural']);
}

/** Each CRD that converts: an object that is stored now, read in the version in which it is not stored. */
async function conversionsOf(scene: Scene, operator: Probed): Promise<readonly Probe[]> {
  const { client } = scene;
  const { name, csv } = operator;
  const probes: Probe[] = [];
  for (const crd of await crdsOf(scene, csv)) {
    const { conversion, versions, group } = fieldsOf(crd['spec']);
    const sample = sampleFor(crd, samplesOf(csv));
    if (fieldsOf(conversion)['strategy'] !== 'Webhook' || sample === undefined) continue;
    const stored = listOf(versions).find((one) => one['storage'] === true);
    const other = listOf(versions).find((one) => one['served'] === true && one !== stored);
    if (other === undefined) continue;
    const object = placed(sample, operator, crd, 'is-converted');
    const isStored = await client.create(object).then(() => true, () => false); // prettier-ignore
    if (!isStored && (await client.get(refOf(object)).catch(() => undefined)) === undefined) continue;
    const { namespace } = object.metadata;
    const ref = {
      apiVersion: `${textOf(group)}/${textOf(other['name'])}`,
      kind: object.kind,
      name: 'is-converted',
      ...(namespace !== undefined && { namespace }),
    };
    const ask = async (): Promise<void> => {
      if ((await client.get(ref)) === undefined) throw new Error('the object is gone');
    };
    probes.push({ operator: name, sort: 'conversion', name: `${name}: ${crd.metadata.name}`, ask });
  }
  return probes;
}

function apisOf({ cluster }: Scene, { name, csv }: Probed): readonly Probe[] {
  const { owned } = fieldsOf(fieldsOf(csv['spec'])['apiservicedefinitions']);
  return listOf(owned).map(({ group, version }) => {
    const path = `/apis/${textOf(group)}/${textOf(version)}`;
    const ask = async (): Promise<void> => void (await cluster.read(path));
    return { operator: name, sort: 'aggregated API', name: `${name}: ${path}`, ask };
  });
}
