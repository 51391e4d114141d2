/**
 * The command line prints the same objects as the reference renderer, and rights in the operator's own namespace if another
 * is watched: for its seven cases, and for some heads of channels; `make conformance` takes more of them.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canonicalJson, parseJson } from '../../api/json.ts';
import type { KubeObject } from '../../api/object.ts';
import { rightsAtHome, type WatchedPlace } from '../../bundles/testing/rights-at-home.ts';
import { parseYaml } from '../../bundles/yaml.ts';
import { byExtent, sampleOf } from '../../e2e/lib/sample.ts';
import { devSet, hasShared, sharedPath, sharedRows } from '../../e2e/lib/shared.ts';
import { useWorkplace } from './testing/slipway.ts';

const workplace = useWorkplace();

/** A command line as one would type it: words between spaces. */
async function render(source: string, options: string): Promise<readonly KubeObject[]> {
  const args = options.split(' ').map((word) => (word === "''" ? '' : word));
  const { code, stdout, stderr } = await workplace().run('bundle', 'render', source, '-o', 'json', ...args);
  expect({ source, code, stderr }).toEqual({ source, code: 0, stderr: '' });
  return parseJson(stdout) as readonly KubeObject[];
}

/** The objects that the reference renders too. */
function ofBoth(objects: readonly KubeObject[], place: WatchedPlace): readonly KubeObject[] {
  const atHome = rightsAtHome(objects, place);
  return objects.filter((object) => !atHome.includes(object));
}

/** Without status, and without a creationTimestamp that is null. */
function comparable({ status: _status, metadata, ...rest }: KubeObject): string {
  const { creationTimestamp, ...others } = metadata;
  return canonicalJson({ ...rest, metadata: creationTimestamp === null ? others : metadata });
}

describe.skipIf(!hasShared)('the cases of the reference renderer', () => {
  interface Case {
    readonly name: string;
    readonly installNamespace: string;
    readonly watchNamespace: string;
    readonly bundle: string;
    readonly expected: string;
    readonly deploymentConfig?: object;
  }
  const text = hasShared ? readFileSync(sharedPath('conformance', 'render', 'cases.json'), 'utf8') : '{"cases":[]}';
  const { cases } = JSON.parse(text) as { readonly cases: readonly Case[] };

  test('are seven', () => {
    expect(cases).toHaveLength(7);
  });

  test.each(cases)('$name', async (row) => {
    if (row.deploymentConfig !== undefined)
      workplace().write(new Map([['config.json', JSON.stringify(row.deploymentConfig)]]));
    const objects = await render(
      sharedPath('conformance', 'render', row.bundle),
      `--namespace ${row.installNamespace} --watch-namespace ${row.watchNamespace || "''"} --certificates none` +
        (row.deploymentConfig === undefined ? '' : ' --config config.json'),
    );
    const folder = sharedPath('conformance', 'render', row.expected);
    const expected = readdirSync(folder).map((name) => parseYaml(readFileSync(join(folder, name)))[0]?.value);
    expect(ofBoth(objects, row).map(comparable).sort()).toEqual(
      expected.map((object) => comparable(object as KubeObject)).sort(),
    );
  });
});

describe.skipIf(!hasShared)('heads of channels', () => {
  interface Row {
    readonly dir: string;
    readonly cert: string;
    readonly watchNamespace: string;
    readonly installNamespace: string;
    readonly ok: boolean;
    readonly objects?: readonly {
      readonly apiVersion: string;
      readonly kind: string;
      readonly namespace: string;
      readonly name: string;
      readonly sha256: string;
    }[];
  }

  test('some that the reference renders have the same objects by hash, but for two of one identity', async () => {
    const rows = sharedRows<Row>('conformance', 'reference', 'render-heads.jsonl.xz').filter(
      ({ ok, objects = [] }) => ok && objects.every(({ apiVersion }) => !ODD.has(apiVersion)),
    );
    const fifth = rows.filter((_, index) => index % 5 === 0).filter(({ dir }) => !WITHOUT_PORTS.test(dir));
    const sample = sampleOf(fifth, { every: 4 });
    let count = 0;
    for (const row of sample) {
      const { dir, cert, installNamespace, watchNamespace, objects = [] } = row;
      const printed = await render(
        join(devSet(), dir),
        `--namespace ${installNamespace} --watch-namespace ${watchNamespace || "''"} --certificates ${cert}`,
      );
      // Of two objects of one identity the last counts.
      const expected = new Map(objects.map((one) => [`${one.kind} ${one.namespace}/${one.name}`, one.sha256]));
      const hashes = ofBoth(printed, row).map((object) =>
        createHash('sha256').update(comparable(object)).digest('hex'),
      );
      expect(hashes.sort(), dir).toEqual([...expected.values()].sort());
      count += expected.size;
    }
    process.stdout.write(`bundle render: ${count} objects of ${sample.length} heads are equal by hash\n`);
    expect({ heads: sample.length, objects: count }).toEqual(
      byExtent({ all: { heads: 23, objects: 415 }, sample: { heads: 6, objects: 149 } }),
    );
  });

  /** Of classes that docs/deviations.md lists: without apiVersion or of v1beta1, and with webhooks that name no port. */
  const WITHOUT_PORTS = /^operators\/mongodb-enterprise\//;
  const ODD = new Set(['', 'apiextensions.k8s.io/v1beta1']);
});
