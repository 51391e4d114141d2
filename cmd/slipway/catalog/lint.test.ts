import { expect, test } from 'vitest';
import { useWorkplace } from '../testing/slipway.ts';

const workplace = useWorkplace();

interface Report {
  readonly valid: boolean;
  readonly errors: number;
  readonly findings: readonly { readonly rule: string; readonly bundle: string; readonly channel?: string }[];
}

/** A catalog with one package; every entry has a bundle. */
function catalogOf(entries: readonly { readonly name: string }[], image: string): string {
  const bundles = entries.map(({ name }) => ({
    schema: 'olm.bundle',
    package: 'gadget',
    name,
    image,
    properties: [{ type: 'olm.package', value: { packageName: 'gadget', version: name.slice('gadget.v'.length) } }],
  }));
  const documents = [
    { schema: 'olm.package', name: 'gadget', defaultChannel: 'stable' },
    { schema: 'olm.channel', package: 'gadget', name: 'stable', entries },
    ...bundles,
  ];
  return documents.map((document) => `${JSON.stringify(document)}\n`).join('');
}

const ENTRIES = [{ name: 'gadget.v1.0.0' }, { name: 'gadget.v1.1.0', replaces: 'gadget.v1.0.0' }];
const STRANDED = [...ENTRIES, { name: 'gadget.v1.2.0', replaces: 'gadget.v1.0.0' }];
const PINNED = `registry.example/gadget@sha256:${'0'.repeat(64)}`;

test.each([
  { because: 'every version leads to the head', entries: ENTRIES, image: PINNED, args: [], code: 0, rules: [] },
  { because: 'a version is a dead end', entries: STRANDED, image: PINNED, args: [], code: 2, rules: ['dead-end'] },
  {
    because: 'an image without digest is advice',
    entries: ENTRIES.slice(0, 1),
    image: 'registry.example/gadget:v1',
    args: [],
    code: 0,
    rules: ['unpinned-image'],
  },
  {
    because: 'advice counts if asked to',
    entries: ENTRIES.slice(0, 1),
    image: 'registry.example/gadget:v1',
    args: ['--strict'],
    code: 2,
    rules: ['unpinned-image'],
  },
])('catalog lint ends with $code: $because', async ({ entries, image, args, code, rules }) => {
  workplace().write(new Map([['catalog/catalog.json', catalogOf(entries, image)]]));
  const { code: actual, stdout, stderr } = await workplace().run('catalog', 'lint', 'catalog', ...args);
  expect({ actual, stderr }).toEqual({ actual: code, stderr: '' });
  const report = await workplace().json<Report>('catalog', 'lint', 'catalog', ...args);
  expect(report.findings.map(({ rule }) => rule)).toEqual(rules);
  expect(report.valid).toBe(!rules.includes('dead-end'));
  for (const { rule, bundle } of report.findings)
    expect(stdout).toMatch(new RegExp(`gadget.*${bundle}: .*\\(${rule}\\)\n  \\w`));
});

test('catalog lint takes one package, and refuses one that the catalog does not have', async () => {
  workplace().write(new Map([['catalog/catalog.json', catalogOf(STRANDED, PINNED)]]));
  expect((await workplace().run('catalog', 'lint', 'catalog', '--package', 'gadget')).code).toBe(2);
  const { code, stderr } = await workplace().run('catalog', 'lint', 'catalog', '--package', 'widget');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^slipway: InputInvalid: the catalog has no package "widget"/),
  });
});
