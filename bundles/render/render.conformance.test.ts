/**
 * Compares our rendering with the result of OLM v1's renderer for the same bundles: whole objects, and hashes of many.
 * `make test` takes a sample of the bundles that has each class of differences, `make conformance` all of them.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import { canonicalJson } from '../../api/json.ts';
import type { KubeObject } from '../../api/object.ts';
import type { OperatorConfig } from '../../api/operator-config.ts';
import { byExtent, classesWithoutSample, sampleOf } from '../../e2e/lib/sample.ts';
import { devSet, hasShared, sharedPath, sharedRows } from '../../e2e/lib/shared.ts';
import type { Bundle } from '../bundle.ts';
import { parseBundle } from '../parse.ts';
import { readBundleFolder } from '../testing/folder.ts';
import { bundleFolders, readBundle, renderEachMode } from '../testing/real-bundles.ts';
import { rightsAtHome } from '../testing/rights-at-home.ts';
import { parseYaml } from '../yaml.ts';
import { INSTALL_MODES } from './install-mode.ts';
import { renderBundle } from './render.ts';
import { isRendered } from './rendered-kinds.ts';

describe.skipIf(!hasShared)('the cases of the reference renderer', () => {
  interface Case {
    readonly name: string;
    readonly installNamespace: string;
    readonly watchNamespace: string;
    readonly bundle: string;
    readonly expected: string;
    readonly deploymentConfig?: OperatorConfig;
  }
  const { cases } = JSON.parse(
    hasShared ? readFileSync(sharedPath('conformance', 'render', 'cases.json'), 'utf8') : '{"cases":[]}',
  ) as { readonly cases: readonly Case[] };
  const expectedFiles = ({ expected }: Case): readonly string[] =>
    readdirSync(sharedPath('conformance', 'render', expected)).map((name) =>
      sharedPath('conformance', 'render', expected, name),
    );

  it('the reference renderer has 94 objects in 7 cases', () => {
    const objects = cases.flatMap(expectedFiles).length;
    expect({ cases: cases.length, objects }).toEqual({ cases: 7, objects: 94 });
    process.stdout.write(`render: ${objects} objects in ${cases.length} cases are compared\n`);
  });

  it.each(cases)('$name: the same objects, field by field, but for rights at home', (row) => {
    const bundle = parseBundle(readBundleFolder(sharedPath('conformance', 'render', row.bundle)));
    const rendered = renderBundle(bundle, {
      namespace: row.installNamespace,
      watchNamespaces: [row.watchNamespace],
      certificates: 'none',
      ...(row.deploymentConfig !== undefined && { config: row.deploymentConfig }),
    });
    const expected = expectedFiles(row).map((file) => parseYaml(readFileSync(file))[0]?.value);
    const texts = expected.map((object) => canonicalJson(comparable(object as KubeObject)));
    const atHome = rightsAtHome(rendered, row);
    expect(atHome.map(({ kind }) => kind)).toEqual(row.name === 'SingleNamespaces' ? ['Role', 'RoleBinding'] : []);
    const ofBoth = rendered.filter((object) => !atHome.includes(object));
    expect(ofBoth.map((object) => canonicalJson(comparable(object))).sort()).toEqual(texts.sort());
  });
});

/** Bundles of classes that one of eight does not meet. */
const RARE: ReadonlyMap<string, string> = new Map([
  ['operators/aqua/6.2.1', 'a printer column without a path'],
  ['operators/cluster-aas-operator/0.1.5', 'a head without apiVersion'],
  ['operators/ember-csi-operator/0.9.4', 'a head with a CRD of v1beta1, which both refuse in one mode'],
]);

/** The folders that this run takes, below the dev set. */
const folders = new Set(
  sampleOf(hasShared ? bundleFolders(devSet()).map((folder) => relative(devSet(), folder)) : [], {
    every: 8,
    also: (folder) => RARE.has(folder),
  }),
);

const bundles = new Map<string, Bundle>();

/** A bundle of the dev set, parsed once: this also checks that rendering does not change it. */
function bundleIn(folder: string): Bundle {
  const bundle = bundles.get(folder) ?? readBundle(folder);
  bundles.set(folder, bundle);
  return bundle;
}

interface Row {
  readonly dir: string;
  readonly mode: (typeof INSTALL_MODES)[number];
  readonly cert: 'none' | 'cert-manager';
  readonly watchNamespace: string;
  readonly installNamespace: string;
  readonly ok: boolean;
  readonly objects?: readonly RowObject[];
}

interface RowObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly sha256: string;
}

/** All differences between our rendering and the reference's, with their counts; docs/deviations.md has the reasons. */
const ALL_DEVIATIONS = {
  'render-heads': {
    rows: 225,
    renders: 134,
    objects: 2285,
    equal: 91,
    'refused by both, InstallModeUnsupported': 87,
    'refused by both, BundleUnsupported': 4,
    'refused: v1beta1 CRD': 14,
    'refused: printer column without a path': 0,
    'one object of two': 9,
    'apiVersion filled in': 2,
    'apiVersion moved on': 0,
    'port of a webhook filled in': 6,
    'rights in the own namespace too': 20,
  },
  'render-all-bundles': {
    rows: 2413,
    renders: 2413,
    objects: 42481,
    equal: 1625,
    'refused by both, InstallModeUnsupported': 0,
    'refused by both, BundleUnsupported': 0,
    'refused: v1beta1 CRD': 412,
    'refused: printer column without a path': 6,
    'one object of two': 71,
    'apiVersion filled in': 10,
    'apiVersion moved on': 11,
    'port of a webhook filled in': 24,
    'rights in the own namespace too': 289,
  },
};

type Table = keyof typeof ALL_DEVIATIONS;
const TABLES = Object.keys(ALL_DEVIATIONS) as Table[];

/** Those of the sample. */
const SAMPLE_DEVIATIONS: typeof ALL_DEVIATIONS = {
  'render-heads': {
    rows: 48,
    renders: 26,
    objects: 455,
    equal: 11,
    'refused by both, InstallModeUnsupported': 21,
    'refused by both, BundleUnsupported': 1,
    'refused: v1beta1 CRD': 2,
    'refused: printer column without a path': 0,
    'one object of two': 9,
    'apiVersion filled in': 2,
    'apiVersion moved on': 0,
    'port of a webhook filled in': 6,
    'rights in the own namespace too': 4,
  },
  'render-all-bundles': {
    rows: 305,
    renders: 305,
    objects: 5498,
    equal: 200,
    'refused by both, InstallModeUnsupported': 0,
    'refused by both, BundleUnsupported': 0,
    'refused: v1beta1 CRD': 48,
    'refused: printer column without a path': 2,
    'one object of two': 14,
    'apiVersion filled in': 4,
    'apiVersion moved on': 2,
    'port of a webhook filled in': 6,
    'rights in the own namespace too': 37,
  },
};
const DEVIATIONS = byExtent({ all: ALL_DEVIATIONS, sample: SAMPLE_DEVIATIONS });

describe.skipIf(!hasShared)("the reference's rendering of real bundles", () => {
  const tables = new Map(
    TABLES.map((name) => [name, hasShared ? sharedRows<Row>('conformance', 'reference', `${name}.jsonl.xz`) : []]),
  );

  it('rendered kinds are in the list of known kinds: a Revision with others is refused', () => {
    const rows = [...tables.values()].flat();
    const kinds = new Set(rows.flatMap(({ objects = [] }) => objects.map(({ kind }) => kind)));
    expect(kinds.size).toBeGreaterThan(10);
    expect([...kinds].filter((kind) => !isRendered(kind))).toEqual([]);
  });

  it.each(TABLES)('%s: the sample of bundles has each class of differences', (name) => {
    expect(classesWithoutSample({ all: ALL_DEVIATIONS[name], sample: SAMPLE_DEVIATIONS[name] })).toEqual([]);
  });

  it.each(TABLES)('%s: equal by hash, except for named classes', (name) => {
    const rows = tables.get(name)!.filter(({ dir }) => folders.has(dir));
    const counts: Record<string, number> = { ...DEVIATIONS[name] };
    for (const key of Object.keys(counts)) counts[key] = 0;
    const differences: string[] = [];
    for (const [dir, group] of Map.groupBy(rows, (row) => row.dir)) {
      const bundle = bundleIn(join(devSet(), dir));
      for (const row of group) {
        counts['objects'] = (counts['objects'] ?? 0) + (row.objects?.length ?? 0);
        const { classes, wrong } = compare(bundle, row);
        for (const found of ['rows', ...(row.ok ? ['renders'] : []), ...classes])
          counts[found] = (counts[found] ?? 0) + 1;
        differences.push(...wrong);
      }
    }
    process.stdout.write(`${name}: ${JSON.stringify(counts)}\n`);
    expect(differences).toEqual([]);
    expect(counts).toEqual(DEVIATIONS[name]);
  });
});

interface Comparison {
  readonly classes: ReadonlySet<string>;
  readonly wrong: readonly string[];
}

function compare(bundle: Bundle, row: Row): Comparison {
  const rendered = tryRender(bundle, row);
  const where = `${row.dir} ${row.mode} ${row.cert}`;
  if (rendered instanceof ReasonedError) {
    if (!row.ok) return { classes: new Set([`refused by both, ${rendered.reason}`]), wrong: [] };
    const known = refusalOf(rendered, row);
    if (known !== undefined) return { classes: new Set([known]), wrong: [] };
    return { classes: new Set(), wrong: [`${where}: ${rendered.reason}: ${rendered.message}`] };
  }
  return row.ok ? compareObjects(rendered, row) : { classes: new Set(), wrong: [`${where}: rendered`] };
}

/** The class of a bundle that only we refuse. */
function refusalOf({ reason, message }: ReasonedError, { objects = [] }: Row): string | undefined {
  const beta = objects.some(({ apiVersion }) => apiVersion === 'apiextensions.k8s.io/v1beta1');
  if (reason === 'BundleUnsupported' && beta) return 'refused: v1beta1 CRD';
  const column = /additionalPrinterColumns\[\d+\]\.jsonPath: the column has no path/.test(message);
  return reason === 'BundleInvalid' && column ? 'refused: printer column without a path' : undefined;
}

function tryRender(bundle: Bundle, row: Row): readonly KubeObject[] | ReasonedError {
  const { installNamespace: namespace, watchNamespace, cert } = row;
  try {
    return renderBundle(bundle, { namespace, watchNamespaces: [watchNamespace], certificates: cert });
  } catch (error) {
    if (error instanceof ReasonedError) return error;
    throw error;
  }
}

/**
 * Compares objects in order, if the reference has one; it has none among ServiceAccounts and cert-manager's objects.
 */
function compareObjects(all: readonly KubeObject[], row: Row): Comparison {
  const atHome = rightsAtHome(all, row);
  const rendered = all.filter((object) => !atHome.includes(object));
  const classes = new Set<string>(atHome.length === 0 ? [] : ['rights in the own namespace too']);
  const wrong: string[] = [];
  const expected = row.objects ?? [];
  const remaining = [...rendered];
  for (const object of expected) {
    const at = remaining.findIndex((candidate) => identity(candidate) === identityOf(object));
    const found = remaining[at];
    const twice = expected.filter((other) => identityOf(other) === identityOf(object)).length > 1;
    if (twice) classes.add('one object of two');
    if (twice && expected.findLast((other) => identityOf(other) === identityOf(object)) !== object) continue;
    if (found === undefined) {
      wrong.push(`${row.dir} ${row.mode} ${row.cert}: no ${identityOf(object)}`);
      continue;
    }
    remaining.splice(at, 1);
    const difference = differenceOf(found, object);
    if (difference === 'wrong') wrong.push(`${row.dir} ${row.mode} ${row.cert}: ${identityOf(object)} differs`);
    else if (difference !== undefined) classes.add(difference);
  }
  wrong.push(...remaining.map((object) => `${row.dir} ${row.mode} ${row.cert}: ${identity(object)} is too many`));
  if (!sameOrder(rendered, expected)) wrong.push(`${row.dir} ${row.mode} ${row.cert}: another order`);
  return { classes: classes.size === 0 && wrong.length === 0 ? new Set(['equal']) : classes, wrong };
}

function identityOf({ kind, namespace, name }: Pick<RowObject, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace}/${name}`;
}

function identity({ kind, metadata }: KubeObject): string {
  return identityOf({ kind, namespace: metadata.namespace ?? '', name: metadata.name });
}

function differenceOf(object: KubeObject, { apiVersion, sha256 }: RowObject): string | undefined {
  if (hash(object) === sha256) return undefined;
  if (hash(withoutPorts(object)) === sha256) return 'port of a webhook filled in';
  if (apiVersion === object.apiVersion) return 'wrong';
  const { apiVersion: _ours, ...rest } = object;
  const asPublished = apiVersion === '' ? rest : { ...rest, apiVersion };
  if (hash(asPublished as KubeObject) !== sha256) return 'wrong';
  return apiVersion === '' ? 'apiVersion filled in' : 'apiVersion moved on';
}

/** The object as the reference renders it if the webhook's port is not set. */
function withoutPorts(object: KubeObject): KubeObject {
  const { webhooks } = object as {
    readonly webhooks?: readonly { readonly clientConfig: { readonly service: object } }[];
  };
  if (webhooks === undefined) return object;
  const unset = webhooks.map(({ clientConfig: { service, ...client }, ...webhook }) => ({
    ...webhook,
    clientConfig: { ...client, service: { ...service, port: 0 } },
  }));
  return { ...object, webhooks: unset };
}

const UNORDERED = new Set(['ServiceAccount', 'Issuer', 'Certificate']);

function sameOrder(rendered: readonly KubeObject[], expected: readonly RowObject[]): boolean {
  const seen = new Set<string>();
  const wanted = expected.map(identityOf).filter((id) => !seen.has(id) && seen.add(id));
  return ordered(rendered.map(identity)) === ordered(wanted);
}

/** The identities whose order the reference keeps. */
function ordered(ids: readonly string[]): string {
  return ids.filter((id) => !UNORDERED.has(id.split(' ')[0] ?? '')).join('\n');
}

const hashes = new WeakMap<KubeObject, string>();

function hash(object: KubeObject): string {
  const known = hashes.get(object);
  if (known !== undefined) return known;
  const digest = createHash('sha256')
    .update(canonicalJson(comparable(object)))
    .digest('hex');
  hashes.set(object, digest);
  return digest;
}

/** The input of the hashes: without status, and without a creationTimestamp that is null. */
function comparable({ status: _status, metadata, ...rest }: KubeObject): unknown {
  const { creationTimestamp, ...others } = metadata;
  return { ...rest, metadata: creationTimestamp === null ? others : metadata };
}

/** How often bundles of the dev set are refused, by reason and install mode. */
const ALL_REFUSALS = {
  // CRDs of v1beta1
  'BundleUnsupported, AllNamespaces': 112,
  'BundleUnsupported, OwnNamespace': 157,
  'BundleUnsupported, SingleNamespace': 143,
  'BundleUnsupported, MultiNamespace': 40,
  // printer columns without a path
  'BundleInvalid, OwnNamespace': 3,
  'BundleInvalid, SingleNamespace': 3,
};

const SAMPLE_REFUSALS: typeof ALL_REFUSALS = {
  'BundleUnsupported, AllNamespaces': 15,
  'BundleUnsupported, OwnNamespace': 18,
  'BundleUnsupported, SingleNamespace': 15,
  'BundleUnsupported, MultiNamespace': 5,
  'BundleInvalid, OwnNamespace': 1,
  'BundleInvalid, SingleNamespace': 1,
};
const EXPECTED = byExtent({
  all: { bundles: 1011, renders: 2071, refusals: ALL_REFUSALS, elsewhere: 687 },
  sample: { bundles: 130, renders: 262, refusals: SAMPLE_REFUSALS, elsewhere: 88 },
});

describe.skipIf(!hasShared)('every bundle of the dev set', () => {
  it('the sample of bundles has each kind of refusal', () => {
    expect(classesWithoutSample({ all: ALL_REFUSALS, sample: SAMPLE_REFUSALS })).toEqual([]);
  });

  it('every third rendering has the same bytes on another day, in another time zone and language; each bundle is rendered in each supported mode, or refused with a reason', async () => {
    const elsewhere = renderElsewhere();
    const renderings = [...folders].flatMap((folder) => renderEachMode(folder, bundleIn(join(devSet(), folder))));
    const hashes = new Map(renderings.flatMap(({ name, result }) => ('hash' in result ? [[name, result.hash]] : [])));
    const refusals = Map.groupBy(
      renderings.flatMap(({ mode, result }) => ('refusal' in result ? `${result.refusal.reason}, ${mode}` : [])),
      (key) => key,
    );
    const table = Object.fromEntries([...refusals].map(([key, { length }]) => [key, length]));
    const counts = { bundles: folders.size, renders: hashes.size };
    process.stdout.write(`dev set: ${JSON.stringify(counts)}; refused: ${JSON.stringify(table)}\n`);
    expect(counts).toEqual({ bundles: EXPECTED.bundles, renders: EXPECTED.renders });
    expect(table).toEqual(EXPECTED.refusals);
    const { place, hashes: again } = await elsewhere;
    expect(place).toEqual({ days: 400, timeZone: 'Pacific/Kiritimati', locale: 'tr-TR' });
    expect(again).toEqual(new Map([...again.keys()].map((name) => [name, hashes.get(name)])));
    expect(again.size).toBe(EXPECTED.elsewhere);
  });
});

/** Every third bundle of this run by another process, on another day, with the files in reverse order. */
async function renderElsewhere(): Promise<{
  readonly place: { readonly days: number; readonly timeZone: string; readonly locale: string };
  readonly hashes: ReadonlyMap<string, string>;
}> {
  const program = join(import.meta.dirname, '../testing/another-day.ts');
  const env = { ...process.env, TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8', NODE_OPTIONS: '' };
  const some = [...folders].filter((_, at) => at % 3 === 0).map((folder) => join(devSet(), folder));
  const running = promisify(execFile)(process.execPath, [program], { env, maxBuffer: 1 << 24 });
  running.child.stdin!.end(some.join('\n'));
  const { stdout } = await running;
  const [first = '', ...lines] = stdout.trim().split('\n');
  const { time, ...where } = JSON.parse(first) as { time: number; timeZone: string; locale: string };
  const days = Math.round((time - Date.now()) / 86_400_000);
  return { place: { days, ...where }, hashes: new Map(lines.map((line) => line.split('\t') as [string, string])) };
}
