import { describe, expect, test } from 'vitest';
import { makeCrd, makeDeployment, makeFiles, type BundleParts } from '../../../bundles/testing/bundle.ts';
import { useWorkplace } from '../testing/slipway.ts';

const workplace = useWorkplace();
let number = 0;

async function diff(before: BundleParts, after: BundleParts, ...args: readonly string[]) {
  number += 1;
  workplace().write(makeFiles(before), `${number}/old`);
  workplace().write(makeFiles(after), `${number}/new`);
  return workplace().run('bundle', 'diff', `${number}/old`, `${number}/new`, ...args);
}

const reading = (resource: string): BundleParts => ({
  clusterPermissions: [
    { serviceAccountName: 'gadget', rules: [{ apiGroups: [''], resources: [resource], verbs: ['get'] }] },
  ],
});
const OWNED = {
  customresourcedefinitions: { owned: [{ name: 'gadgets.example.com', kind: 'Gadget', version: 'v1' }] },
};
const crdWith = (properties: object): BundleParts => ({
  spec: OWNED,
  objects: [
    makeCrd({
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } },
      ],
    }),
  ],
});

describe('bundle diff', () => {
  test.each([
    {
      because: 'nothing differs',
      before: {},
      after: {},
      shows: [/^gadget-operator 1\.0\.0 → 1\.0\.0\nThe bundles install the same: 1 unchanged\n$/],
    },
    {
      because: 'the version and its place differ',
      before: {},
      after: {
        metadata: { name: 'gadget-operator.v1.1.0' },
        spec: { version: '1.1.0', replaces: 'gadget-operator.v1.0.0' },
      },
      shows: [
        /^gadget-operator 1\.0\.0 → 1\.1\.0\nBundle:\n {2}name: gadget-operator\.v1\.0\.0 → gadget-operator\.v1\.1\.0\n {2}version: 1\.0\.0 → 1\.1\.0\n {2}replaces: none → gadget-operator\.v1\.0\.0\n$/,
      ],
    },
    {
      because: 'install modes differ',
      before: { modes: ['AllNamespaces', 'OwnNamespace'] },
      after: { modes: ['AllNamespaces'] },
      shows: [/ {2}install modes: AllNamespaces, OwnNamespace → AllNamespaces\n/],
    },
    {
      because: 'a Deployment differs in a field',
      before: {},
      after: {
        deployments: [
          makeDeployment('gadget-manager', { containers: [{ name: 'manager', image: 'quay.io/example/gadget:v2' }] }),
        ],
      },
      shows: [
        /containers\[manager\]\.image: "quay\.io\/example\/gadget:v1" → "quay\.io\/example\/gadget:v2"\n/,
        /\nImages:\n {2}\+ quay\.io\/example\/gadget:v2\n {2}- quay\.io\/example\/gadget:v1\n/,
        /\nRestarts:\n/,
      ],
    },
    {
      because: 'rights are gained and lost',
      before: reading('configmaps'),
      after: reading('secrets'),
      shows: [
        /\nRights gained:\n {2}\w+: the operator may read Secrets in every namespace/,
        /\nRights lost:\n {2}the operator may read ConfigMaps in every namespace\n/,
      ],
    },
    {
      because: 'a CRD loses a field',
      before: crdWith({ size: { type: 'integer' } }),
      after: crdWith({}),
      shows: [/\nCRDs:\n {2}gadgets\.example\.com is changed\n {2}gadgets\.example\.com: \w+: .*size/],
    },
  ])('shows in words that $because', async ({ before, after, shows }) => {
    const { code, stdout, stderr } = await diff(before, after);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const text of shows) expect(stdout).toMatch(text);
    expect(stdout).not.toMatch(/not known/i);
  });

  test('has the same as Markdown and as data', async () => {
    const { stdout } = await diff(reading('configmaps'), reading('secrets'), '-o', 'markdown');
    expect(stdout).toMatch(/^### `gadget-operator 1\.0\.0 → 1\.0\.0`\n\n\*\*Rights gained\*\*\n\n```text\n/);
    expect(JSON.parse((await diff(reading('configmaps'), reading('secrets'), '-o', 'json')).stdout)).toMatchObject({
      from: { package: 'gadget-operator', version: '1.0.0' },
      facts: [],
      rights: { gained: [{ holder: 'the operator' }], lost: [{ holder: 'the operator' }] },
      objects: { created: [expect.anything(), expect.anything()] },
    });
  });

  test('is refused for bundles of two packages', async () => {
    const annotations = new TextDecoder()
      .decode(makeFiles().get('metadata/annotations.yaml'))
      .replace('v1: gadget-operator', 'v1: lamp');
    const { code, stderr } = await diff({}, { files: { 'metadata/annotations.yaml': annotations } });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^slipway: InputInvalid: the bundles are of two packages, gadget-operator and lamp\n/,
      ),
    });
  });
});
