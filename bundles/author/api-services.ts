/**
 * Turns APIServices into the definitions of the CSV: the installation makes the APIService, its Service, its certificate and
 * the two bindings by which its server authenticates callers.
 */
import { groupOf, type KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, numberOf, textOf } from '../../api/untyped.ts';
import { supportedKind } from '../render/kinds.ts';
import { followCall, type Call } from './calls.ts';
import type { Ledger } from './ledger.ts';
import { accountOf, type Scene } from './scene.ts';
import type { SourceObject } from './source.ts';

/** Field of the CSV. */
export const API_SERVICES = 'spec.apiservicedefinitions';
const API_SERVICE = 'APIService.apiregistration.k8s.io';
const RBAC = 'rbac.authorization.k8s.io';

/** An entry of `apiservicedefinitions.owned`, with the words that a person has given it. */
export interface ApiServiceDefinition {
  readonly [field: string]: unknown;
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly deploymentName: string;
  readonly containerPort: number;
}

/** The definitions, and how the API server calls the operator. */
export interface ApiServices {
  readonly definitions: readonly ApiServiceDefinition[];
  /** Ports by which the API server calls each Service. */
  readonly services: ReadonlyMap<SourceObject, ReadonlySet<number>>;
  /** Names of the Deployments that are called. */
  readonly called: ReadonlySet<string>;
  /** `Gadget.api.example.com`: kinds that no CRD defines. */
  readonly kinds: ReadonlySet<string>;
}

/** @param csv The CSV that is there already: it names the kinds that an APIService does not. */
export function takeApiServices(scene: Scene, ledger: Ledger, csv: KubeObject | undefined): ApiServices {
  const owned = listOf(fieldsOf(fieldsOf(csv?.['spec'])['apiservicedefinitions'])['owned']);
  const step: ApiServiceStep = { scene, ledger, owned, definitions: [], services: new Map() };
  for (const source of scene.byKind.get(API_SERVICE) ?? []) takeApiService(step, source);
  const called = new Set(step.definitions.map(({ deploymentName }) => deploymentName));
  for (const deployment of called) takeDelegation(scene, ledger, deployment);
  return {
    definitions: step.definitions,
    services: step.services,
    called,
    kinds: new Set(step.definitions.map(({ kind, group }) => `${kind}.${group}`)),
  };
}

interface ApiServiceStep {
  readonly scene: Scene;
  readonly ledger: Ledger;
  /** Entries of the CSV that is there already. */
  readonly owned: readonly Readonly<Record<string, unknown>>[];
  readonly definitions: ApiServiceDefinition[];
  readonly services: Map<SourceObject, Set<number>>;
}

function takeApiService(step: ApiServiceStep, source: SourceObject): void {
  const { ledger, scene } = step;
  const { group, version, service } = fieldsOf(source.object['spec']);
  const about = { group: textOf(group), version: textOf(version) };
  if (service === undefined || service === null)
    return ledger.leaveOut(source, 'an API server makes it for a CRD by itself');
  const call = followCall(scene, { service });
  const port = 'problem' in call ? undefined : podPort(scene, call);
  if ('problem' in call || port === undefined) return leaveCall(ledger, source, call);
  const kinds = kindsOf(step, about);
  if (kinds.length === 0) return leaveUnknown(ledger, source, about);
  const way = { deploymentName: call.deployment, containerPort: port };
  step.definitions.push(...kinds.map((one) => ({ ...one, ...about, ...way })));
  step.services.set(call.service, (step.services.get(call.service) ?? new Set()).add(call.containerPort));
  ledger.inCsv(source, API_SERVICES);
  noteDifferences(ledger, source);
}

/** The format has one port for the Service and the Pod: that of the Pod, which a Service may call by the name of a port. */
function podPort(
  { byKind }: Scene,
  { deployment, targetPort }: Extract<Call, { readonly deployment: string }>,
): number | undefined {
  if (typeof targetPort === 'number') return targetPort;
  const found = (byKind.get('Deployment.apps') ?? []).find(({ object }) => object.metadata.name === deployment);
  const pod = fieldsOf(fieldsOf(fieldsOf(found?.object['spec'])['template'])['spec']);
  const ports = listOf(pod['containers']).flatMap(({ ports: some }) => listOf(some));
  return numberOf(ports.find(({ name }) => name === targetPort)?.['containerPort']);
}

type NamedKind = Pick<ApiServiceDefinition, 'name' | 'kind'>;

/** Of the entries of the CSV for this API, else of the objects of this API in the source. */
function kindsOf(
  { owned, scene }: ApiServiceStep,
  { group, version }: Pick<ApiServiceDefinition, 'group' | 'version'>,
): readonly NamedKind[] {
  const known = owned.filter(
    (one) => one['group'] === group && one['version'] === version && textOf(one['kind']) !== '',
  );
  if (known.length > 0) return known.map((one) => ({ ...one, name: textOf(one['name']), kind: textOf(one['kind']) }));
  const samples = scene.sources.filter(
    ({ object }) => object.apiVersion === `${group}/${version}` && supportedKind(object) === undefined,
  );
  const kinds = [...new Set(samples.map(({ object }) => object.kind))];
  return kinds.map((kind) => ({ name: `${kind.toLowerCase()}s`, kind }));
}

function leaveCall(ledger: Ledger, source: SourceObject, call: Call): void {
  const { problem, advice } =
    'problem' in call
      ? call
      : {
          problem: `its Service calls the port ${JSON.stringify(call.targetPort)}, which no container of the Deployment ${call.deployment} names`,
          advice: 'Correct targetPort of the Service, or name the port of the container',
        };
  ledger.leaveOut(source, 'the CSV has no Deployment for it');
  ledger.find('error', 'missing-service', source, [problem, advice]);
}

function leaveUnknown(
  ledger: Ledger,
  source: SourceObject,
  { group, version }: Pick<ApiServiceDefinition, 'group' | 'version'>,
): void {
  ledger.leaveOut(source, 'the CSV names the kinds of an APIService, and none is known');
  ledger.find('error', 'unknown-kind', source, [
    `a bundle names the kinds of an APIService, and the source has no object of ${group}/${version}`,
    `Add an example of each kind by --samples, or write ${API_SERVICES}.owned of the CSV with group, version, kind and name`,
  ]);
}

/** Fields for which the format has no place: every installation sets them alike. */
function noteDifferences(ledger: Ledger, source: SourceObject): void {
  const { groupPriorityMinimum, versionPriority, insecureSkipTLSVerify } = fieldsOf(source.object['spec']);
  if (groupPriorityMinimum !== 2000 || versionPriority !== 15)
    ledger.note(source, 'an installation gives it the priorities 2000 and 15');
  if (insecureSkipTLSVerify === true)
    ledger.note(source, `an installation issues its certificate, at ${CERTIFICATE_FOLDER}, and verifies it`);
}

const CERTIFICATE_FOLDER = '/apiserver.local.config/certificates';

/** Roles by which the server of an API authenticates callers, each with the kind and namespace of its binding. */
const DELEGATION = [
  { kind: 'ClusterRoleBinding', role: 'system:auth-delegator', namespace: undefined },
  { kind: 'RoleBinding', role: 'extension-apiserver-authentication-reader', namespace: 'kube-system' },
] as const;

/** The bindings that the installation makes for the account of a Deployment; one that the source lacks is a further right. */
function takeDelegation(scene: Scene, ledger: Ledger, deployment: string): void {
  const found = (scene.byKind.get('Deployment.apps') ?? []).find(({ object }) => object.metadata.name === deployment);
  if (found === undefined) return;
  const account = accountOf(found.object);
  for (const { kind, role, namespace } of DELEGATION) {
    const bindings = (scene.byKind.get(`${kind}.${RBAC}`) ?? []).filter(
      ({ object }) =>
        fieldsOf(object['roleRef'])['name'] === role &&
        object.metadata.namespace === namespace &&
        listOf(object['subjects']).some((subject) => subject['name'] === account),
    );
    for (const source of bindings.filter(({ object }) => listOf(object['subjects']).length === 1)) {
      ledger.inCsv(source, API_SERVICES);
      ledger.note(source, 'an installation makes this binding for each APIService');
    }
    if (bindings.length === 0)
      ledger.find('warning', 'added-right', found, [
        `an installation binds its ServiceAccount ${account} to ${role}, since it serves an APIService; the source does not`,
        'Add the binding to the source if its server asks the API server about callers',
      ]);
  }
}

/** Whether an object is of an API that an APIService of the operator serves. */
export function isServed({ kinds }: ApiServices, { apiVersion, kind }: KubeObject): boolean {
  return kinds.has(`${kind}.${groupOf(apiVersion)}`);
}
