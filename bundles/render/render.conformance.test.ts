/** Compares what is rendered with what OLM v1's renderer made of the same bundles: whole objects, and hashes of many. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import { canonicalJson, formatJson } from '../../api/json.ts';
import type { KubeObject } from '../../api/object.ts';
import type { OperatorConfig } from '../../api/operator-config.ts';
import { devSet, hasShared, sharedPath, sharedRows } from '../../e2e/lib/shared.ts';
import type { Bundle } from '../bundle.ts';
import { parseBundle } from '../parse.ts';
import { readBundleFolder } from '../testing/folder.ts';
import { parseYaml } from '../yaml.ts';
import { INSTALL_MODES, renderBundle, supportedModes, type RenderOptions } from './render.ts';

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
  let objects = 0;

  it.each(cases)('$name: the same objects, field by field', (row) => {
    const bundle = parseBundle(readBundleFolder(sharedPath('conformance', 'render', row.bundle)));
    const rendered = renderBundle(bundle, {
      namespace: row.installNamespace,
      watchNamespaces: [row.watchNamespace],
      certificates: 'none',
      ...(row.deploymentConfig !== undefined && { config: row.deploymentConfig }),
    });
    const folder = sharedPath('conformance', 'render', row.expected);
    const expected = readdirSync(folder).map((name) => parseYaml(readFileSync(join(folder, name)))[0]?.value);
    const texts = expected.map((object) => canonicalJson(comparable(object as KubeObject)));
    expect(rendered.map((object) => canonicalJson(comparable(object))).sort()).toEqual(texts.sort());
    objects += expected.length;
  });

  afterAll(() => {
    process.stdout.write(`render: ${objects} of 94 objects in ${cases.length} of 7 cases are equal\n`);
  });
});

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

/** Every way in which a rendering differs from the reference's, with how often; docs/deviations.md gives the reasons. */
const DEVIATIONS = {
  'render-heads': {
    rows: 225,
    renders: 134,
    equal: 109,
    'refused by both': 91,
    'refused: v1beta1 CRD': 14,
    'one object of two': 9,
    'apiVersion filled in': 2,
    'apiVersion moved on': 0,
  },
  'render-all-bundles': {
    rows: 2413,
    renders: 2413,
    equal: 1910,
    'refused by both': 0,
    'refused: v1beta1 CRD': 412,
    'one object of two': 71,
    'apiVersion filled in': 10,
    'apiVersion moved on': 11,
  },
};

describe.skipIf(!hasShared)('what the reference renders of real bundles', () => {
  it.each(Object.keys(DEVIATIONS) as (keyof typeof DEVIATIONS)[])(
    '%s: equal by hash, but for named classes',
    (name) => {
      const rows = sharedRows<Row>('conformance', 'reference', `${name}.jsonl.xz`);
      const counts: Record<string, number> = { ...DEVIATIONS[name] };
      for (const key of Object.keys(counts)) counts[key] = 0;
      let objects = 0;
      const differences: string[] = [];
      for (const [dir, group] of Map.groupBy(rows, (row) => row.dir)) {
        const bundle = parseBundle(readBundleFolder(join(devSet(), dir)));
        for (const row of group) {
          objects += row.objects?.length ?? 0;
          const { classes, wrong } = compare(bundle, row);
          for (const found of ['rows', ...(row.ok ? ['renders'] : []), ...classes])
            counts[found] = (counts[found] ?? 0) + 1;
          differences.push(...wrong);
        }
      }
      process.stdout.write(`${name}: ${objects} objects; ${JSON.stringify(counts)}\n`);
      expect(differences).toEqual([]);
      expect(counts).toEqual(DEVIATIONS[name]);
    },
  );
});

interface Comparison {
  readonly classes: ReadonlySet<string>;
  readonly wrong: readonly string[];
}

function compare(bundle: Bundle, row: Row): Comparison {
  const rendered = tryRender(bundle, row);
  const where = `${row.dir} ${row.mode} ${row.cert}`;
  if (rendered instanceof ReasonedError) {
    if (!row.ok) return { classes: new Set(['refused by both']), wrong: [] };
    const expected = row.objects?.some(({ apiVersion }) => apiVersion === 'apiextensions.k8s.io/v1beta1') ?? false;
    if (rendered.reason === 'BundleUnsupported' && expected) {
      return { classes: new Set(['refused: v1beta1 CRD']), wrong: [] };
    }
    return { classes: new Set(), wrong: [`${where}: ${rendered.reason}: ${rendered.message}`] };
  }
  return row.ok ? compareObjects(rendered, row) : { classes: new Set(), wrong: [`${where}: rendered`] };
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

/** Objects in order, where the reference has one; it has none among ServiceAccounts and cert-manager's objects. */
function compareObjects(rendered: readonly KubeObject[], row: Row): Comparison {
  const classes = new Set<string>();
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
  if (apiVersion === object.apiVersion) return 'wrong';
  const { apiVersion: _ours, ...rest } = object;
  const asPublished = apiVersion === '' ? rest : { ...rest, apiVersion };
  if (hash(asPublished as KubeObject) !== sha256) return 'wrong';
  return apiVersion === '' ? 'apiVersion filled in' : 'apiVersion moved on';
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

/** Without status, and without a creationTimestamp that is null: what the hashes are made of. */
function comparable({ status: _status, metadata, ...rest }: KubeObject): unknown {
  const { creationTimestamp, ...others } = metadata;
  return { ...rest, metadata: creationTimestamp === null ? others : metadata };
}

/** How often bundles of the dev set are refused, by reason and install mode: all of them for CRDs of v1beta1. */
const REFUSALS = {
  'BundleUnsupported, AllNamespaces': 112,
  'BundleUnsupported, OwnNamespace': 157,
  'BundleUnsupported, SingleNamespace': 143,
  'BundleUnsupported, MultiNamespace': 40,
};

describe.skipIf(!hasShared)('every bundle of the dev set', () => {
  it('is rendered in each mode that it supports, or refused with a reason; twice the same bytes', () => {
    const refusals: Record<string, number> = {};
    const counts = { bundles: 0, renders: 0 };
    for (const folder of bundleFolders()) {
      const files = readBundleFolder(folder);
      const bundle = parseBundle(files);
      counts.bundles += 1;
      for (const mode of supportedModes(bundle)) {
        const options = optionsFor(mode);
        const reason = reasonOf(() => renderBundle(bundle, options));
        if (reason === undefined) {
          counts.renders += 1;
          if (counts.renders % 10 === 0) expectSameBytes(files, options);
          continue;
        }
        refusals[`${reason}, ${mode}`] = (refusals[`${reason}, ${mode}`] ?? 0) + 1;
      }
      if (supportedModes(bundle).length === 0) refusals['no install mode'] = (refusals['no install mode'] ?? 0) + 1;
    }
    process.stdout.write(`dev set: ${JSON.stringify(counts)}; refused: ${JSON.stringify(refusals)}\n`);
    expect(counts).toEqual({ bundles: 1011, renders: 2077 });
    expect(refusals).toEqual(REFUSALS);
  });
});

function expectSameBytes(files: ReadonlyMap<string, Uint8Array>, options: RenderOptions): void {
  const [first, second] = [files, new Map([...files].reverse())].map((copy) =>
    formatJson(renderBundle(parseBundle(copy), { ...options })),
  );
  expect(first).toBe(second);
}

function bundleFolders(): readonly string[] {
  const operators = join(devSet(), 'operators');
  const rows = sharedRows<Row>('conformance', 'reference', 'render-all-bundles.jsonl.xz');
  expect(new Set(rows.map(({ dir }) => dir)).size).toBe(1011);
  return readdirSync(operators).flatMap((name) =>
    readdirSync(join(operators, name), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && readBundleFolder(join(operators, name, entry.name)).has(ANNOTATIONS))
      .map((entry) => join(operators, name, entry.name)),
  );
}

const ANNOTATIONS = 'metadata/annotations.yaml';

function optionsFor(mode: (typeof INSTALL_MODES)[number]): RenderOptions {
  const watchNamespaces = {
    AllNamespaces: [''],
    OwnNamespace: ['ops'],
    SingleNamespace: ['target'],
    MultiNamespace: ['target', 'other'],
  }[mode];
  return { namespace: 'ops', watchNamespaces, certificates: 'manager' };
}

function reasonOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    if (error instanceof ReasonedError) return error.reason;
    throw error;
  }
  return undefined;
}
