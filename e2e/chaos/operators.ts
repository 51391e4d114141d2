/** The operators of the kill runs: a synthetic one, and two of the corpus; each in two good versions and a bad one. */
import { join } from 'node:path';
import { dump, load } from 'js-yaml';
import { parseBundle } from '../../bundles/parse.ts';
import { devSet, hasShared } from '../lib/shared.ts';
import { packageDocuments, publishFiles, readTree } from '../lib/publish.ts';
import { tinyBundle } from '../lib/tiny-operator.ts';

export type Files = ReadonlyMap<string, Uint8Array>;

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

export interface ChaosOperator {
  /** Name of the package, of the Subscription and of its namespace. */
  readonly name: string;
  /** `bad` is newer than `next`, and its Pods never become ready. */
  readonly versions: { readonly old: string; readonly next: string; readonly bad: string };
  readonly files: ReadonlyMap<string, Files>;
  /** A custom resource of a CRD that every version has. */
  readonly instance: Manifest;
}

const SYNTHETIC = { name: 'chaos', old: '1.0.0', next: '2.0.0' };
/** Small packages without webhooks, as no program runs in the Pods; `instance` is the kind of the custom resource. */
const REAL = [
  { name: 'leaksignal-operator', old: '1.6.0', next: '1.6.1', instance: 'LeaksignalIstio' },
  { name: 'limitador-operator', old: '0.10.0', next: '0.11.0', instance: 'Limitador' },
] as const;

/** All operators that this machine has; the real ones are absent without the corpus. */
export function loadOperators(): readonly ChaosOperator[] {
  return [syntheticOperator(), ...(hasShared ? REAL.map(realOperator) : [])];
}

/** The names of the operators for which this machine lacks the corpus. */
export function missingOperators(): readonly string[] {
  return hasShared ? [] : REAL.map(({ name }) => name);
}

/** A CRD, roles, a Deployment, and ConfigMaps that come, change, stay and go with the upgrade. */
export function syntheticOperator(name = SYNTHETIC.name): ChaosOperator {
  const config = (which: string, version: string): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-${which}` },
    data: { version },
  });
  const kind = `${name[0]!.toUpperCase()}${name.slice(1).replaceAll('-', '')}`;
  const both = (version: string): object[] => [config('both', version), config('same', '1')];
  const { old, next } = SYNTHETIC;
  const [oldFiles, nextFiles] = [
    tinyBundle({ name, version: old, kind, further: [...both('1'), config('old', '1')] }),
    tinyBundle({ name, version: next, kind, further: [...both('2'), config('new', '2')] }),
  ];
  const instance = { apiVersion: 'tiny.example/v1', kind, metadata: { name: 'one' }, spec: { size: 1 } };
  return assemble({ name, old, next, instance }, oldFiles, nextFiles);
}

function realOperator({ name, old, next, instance }: (typeof REAL)[number]): ChaosOperator {
  const read = (version: string): Files => readTree(join(devSet(), 'operators', name, version));
  const examples = JSON.parse(csvOf(read(old)).metadata.annotations!['alm-examples']!) as readonly Manifest[];
  const found = examples.find(({ kind }) => kind === instance);
  if (found === undefined) throw new Error(`${name} ${old} has no example of ${instance}`);
  const example = { ...found, metadata: { name: found.metadata.name } };
  return assemble({ name, old, next, instance: example }, read(old), read(next));
}

interface Facts {
  readonly name: string;
  readonly old: string;
  readonly next: string;
  readonly instance: Manifest;
}

function assemble({ name, old, next, instance }: Facts, oldFiles: Files, nextFiles: Files): ChaosOperator {
  const bad = '99.0.0';
  const files = new Map([
    [old, oldFiles],
    [next, nextFiles],
    [bad, neverReady(nextFiles, name, bad)],
  ]);
  return { name, versions: { old, next, bad }, files, instance };
}

interface Csv {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly install: { readonly spec: { readonly deployments: readonly Deployment[] } } };
}

interface Deployment {
  readonly name: string;
  readonly spec: { readonly template: { readonly metadata?: { readonly labels?: object } } };
}

/** As another version, of which the fake kubelet makes no Pod ready. */
function neverReady(files: Files, name: string, version: string): Files {
  const csv = csvOf(files);
  const deployments = csv.spec.install.spec.deployments.map(({ spec, ...deployment }) => {
    const { metadata, ...template } = spec.template;
    const labels = { ...metadata?.labels, 'slipway.dev/test-pod': 'never-ready' };
    return { ...deployment, spec: { ...spec, template: { ...template, metadata: { ...metadata, labels } } } };
  });
  const { replaces: _, ...rest } = csv.spec as Csv['spec'] & { readonly replaces?: string };
  const install = { ...rest.install, spec: { ...rest.install.spec, deployments } };
  const changed = {
    ...csv,
    metadata: { ...csv.metadata, name: `${name}.v${version}` },
    spec: { ...rest, version, install },
  };
  const kept = [...files].filter(([path]) => !CSV_FILE.test(path));
  return new Map([...kept, ['manifests/csv.yaml', Buffer.from(dump(changed))]]);
}

const CSV_FILE = /(clusterserviceversion|csv)\.(ya?ml|json)$/;

function csvOf(files: Files): Csv {
  const found = [...files].find(([path]) => CSV_FILE.test(path));
  if (found === undefined) throw new Error('no ClusterServiceVersion among the files');
  return load(Buffer.from(found[1]).toString()) as Csv;
}

/** Objects of the old version that a person may have made before: the CRDs and the ServiceAccount of the operator. */
export function adoptable({ name, files, versions }: ChaosOperator): readonly Manifest[] {
  const old = files.get(versions.old)!;
  const crds = parseBundle(old).crds.map(({ object }) => object as unknown as Manifest);
  const { install } = csvOf(old).spec as unknown as { readonly install: { readonly spec: Permissions } };
  const account = [...(install.spec.permissions ?? []), ...(install.spec.clusterPermissions ?? [])][0]!;
  const metadata = { name: account.serviceAccountName, namespace: name };
  return [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata }, ...crds];
}

interface Permissions {
  readonly permissions?: readonly { readonly serviceAccountName: string }[];
  readonly clusterPermissions?: readonly { readonly serviceAccountName: string }[];
}

/** Pushes all versions; returns the documents of the package for a catalog. */
export async function publishOperator(
  registry: string,
  { name, versions, files }: ChaosOperator,
): Promise<readonly object[]> {
  const published = [];
  let replaces: string | undefined;
  for (const version of Object.values(versions)) {
    const image = await publishFiles(files.get(version)!, `${registry}/${name}:v${version}`);
    published.push({ version, image, ...(replaces !== undefined && { replaces }) });
    replaces = version;
  }
  return packageDocuments(name, published);
}
