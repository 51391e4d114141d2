/** Views make the same of a slim document as of the whole one. */
import { expect, test } from 'vitest';
import { formatJson } from '../../api/json.ts';
import type { Fields } from '../../api/untyped.ts';
import { reduceListing, reducePackage, withAbout } from './reduce-content.ts';
import { slimDocument } from './slim-document.ts';

const LONG = 'x'.repeat(100_000);
const IDENTITY = { type: 'olm.package', value: { packageName: 'lamp', version: '1.2.3' } };
const PACKAGE = { schema: 'olm.package', name: 'lamp', defaultChannel: 'stable', description: 'Light' };
const CHANNEL = { schema: 'olm.channel', package: 'lamp', name: 'stable', entries: [{ name: 'lamp.v1' }] };
const ABOUT = {
  displayName: 'Lamp',
  description: 'Makes light',
  provider: { name: 'Team' },
  maturity: 'stable',
  minKubeVersion: '1.30.0',
  keywords: ['light'],
  links: [{ name: 'Home', url: 'https://example.com' }],
  maintainers: [{ name: 'Ann', email: 'ann@example.com' }],
  installModes: [{ type: 'AllNamespaces', supported: true }],
  annotations: { categories: 'Home, Light', capabilities: 'Basic Install', 'alm-examples': LONG },
  crdDescriptions: { owned: [{ name: 'lamps.example.com', kind: 'Lamp', version: 'v1', displayName: 'Lamp', description: 'One', specDescriptors: [LONG] }], required: [LONG] }, // prettier-ignore
  icon: [{ base64data: LONG }],
};

function bundle(properties: unknown): Fields {
  return { schema: 'olm.bundle', package: 'lamp', name: 'lamp.v1', image: 'example.com/lamp@sha256:0', properties };
}

const CASES: readonly { readonly because: string; readonly document: Fields; readonly isSmall?: boolean }[] = [
  { because: 'a bundle with facts for people', document: bundle([IDENTITY, { type: 'olm.csv.metadata', value: ABOUT }]), isSmall: true }, // prettier-ignore
  { because: 'a bundle with its objects', document: bundle([{ type: 'olm.bundle.object', value: { data: LONG } }, IDENTITY, { type: 'olm.bundle.object', value: { data: LONG } }]), isSmall: true }, // prettier-ignore
  { because: 'properties that are no list', document: bundle({ type: 'olm.package' }) },
  { because: 'properties that are no objects', document: bundle([null, 1, 'x', [IDENTITY]]) },
  { because: 'facts that are no object', document: bundle([IDENTITY, { type: 'olm.csv.metadata', value: 'x' }]) },
  { because: 'facts of other types', document: bundle([IDENTITY, { type: 'olm.csv.metadata', value: { annotations: 1, crdDescriptions: [1], keywords: {}, provider: null } }]) }, // prettier-ignore
  { because: 'facts with names of prototypes', document: bundle([IDENTITY, { type: 'olm.csv.metadata', value: JSON.parse('{"__proto__":{"displayName":"x"},"constructor":1}') as unknown }]) }, // prettier-ignore
  { because: 'a package with an icon', document: { ...PACKAGE, icon: { mediatype: 'image/png', base64data: 'A'.repeat(50_000) } }, isSmall: true }, // prettier-ignore
  { because: 'a package with an icon of no type', document: { ...PACKAGE, icon: { mediatype: '__proto__', base64data: LONG } }, isSmall: true }, // prettier-ignore
  { because: 'a package with an icon that is a text', document: { ...PACKAGE, icon: 'x' } },
  { because: 'a deprecation', document: { schema: 'olm.deprecations', package: 'lamp', entries: [{ reference: { schema: 'olm.package' }, message: 'old' }] } }, // prettier-ignore
  { because: 'a schema that the console does not know', document: { schema: 'other', data: 1 } },
  { because: 'no schema', document: {} },
];

test.each(CASES)('$because', ({ document, isSmall = false }) => {
  const whole = [document, PACKAGE, CHANNEL];
  const slim = whole.map(slimDocument);
  expect(reducePackage('lamp', slim)).toEqual(reducePackage('lamp', whole));
  expect(reduceListing(slim)).toEqual(reduceListing(whole));
  expect(withAbout(reduceListing(slim), slim)).toEqual(withAbout(reduceListing(whole), whole));
  if (isSmall) expect(formatJson(slim[0]).length).toBeLessThan(2000);
});
