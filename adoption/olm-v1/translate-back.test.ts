/** The spec of a ClusterExtension after a way back: that of the backup, with the settings that were changed in Slipway. */
import { describe, expect, test } from 'vitest';
import { fieldsOf, type Fields } from '../../api/untyped.ts';
import { extensionOf, surveyOf } from './testing/extension.ts';
import { translateBack } from './translate-back.ts';
import { translateExtension } from './translate.ts';

const ENV = { env: [{ name: 'A', value: '1' }] };
const config = { configType: 'Inline', inline: { watchNamespace: 'one', deploymentConfig: ENV } };
const olm = extensionOf({
  spec: { config, serviceAccount: { name: 'installer' } },
  catalog: { version: '1.x', channels: ['stable'], selector: { matchLabels: { a: 'b' } } },
});
const { manifest: wanted, range } = translateExtension(surveyOf({ extension: olm }), { name: 'gadget' });
/** As the API server has it after the hand-over. */
const settings: Fields = { ...fieldsOf(wanted['spec']), version: range, edges: 'Follow', approval: 'Automatic' };
const before = fieldsOf(olm['spec']);
const catalog = fieldsOf(fieldsOf(before['source'])['catalog']);

describe('the spec of the ClusterExtension', () => {
  test('is that of the backup if nothing was changed', () => {
    expect(translateBack({ olm, wanted, range }, settings)).toEqual(before);
  });

  test('is that of the backup if nothing was changed, and any version was allowed', () => {
    const open = extensionOf();
    const translation = translateExtension(surveyOf({ extension: open }), { name: 'gadget' });
    const { version: _version, ...spec } = fieldsOf(translation.manifest['spec']);
    expect(translateBack({ olm: open, wanted: translation.manifest }, spec)).toEqual(open['spec']);
  });

  test.each<{ because: string; change: Fields; source?: Fields; config?: Fields | undefined }>([
    { because: 'another range', change: { version: '2.x' }, source: { ...catalog, version: '2.x' } },
    { because: 'another channel', change: { channel: 'beta' }, source: { ...catalog, channels: ['beta'] } },
    { because: 'any channel', change: { channel: '*' }, source: { ...catalog, channels: [] } },
    {
      because: 'no edges',
      change: { edges: 'Ignore' },
      source: { ...catalog, upgradeConstraintPolicy: 'SelfCertified' },
    },
    { because: 'no variables', change: { config: {} }, config: { ...config, inline: { watchNamespace: 'one' } } },
    {
      because: 'all namespaces',
      change: { watchNamespaces: undefined },
      config: { ...config, inline: { deploymentConfig: ENV } },
    },
    { because: 'neither', change: { config: undefined, watchNamespaces: undefined }, config: undefined },
  ])('has $because, as Slipway has now', ({ change, source = catalog, ...rest }) => {
    const expected = {
      ...before,
      source: { sourceType: 'Catalog', catalog: source },
      ...('config' in rest && { config: rest.config }),
    };
    expect(translateBack({ olm, wanted, range }, { ...settings, ...change })).toEqual(expected);
  });

  test('allows any version if the range was taken out', () => {
    const { version: _version, ...open } = settings;
    const { source } = translateBack({ olm, wanted, range }, open);
    expect(fieldsOf(source)['catalog']).not.toHaveProperty('version');
  });

  test('follows the edges again', () => {
    const ignoring = extensionOf({ catalog: { upgradeConstraintPolicy: 'SelfCertified' } });
    const translation = translateExtension(surveyOf({ extension: ignoring }), { name: 'gadget' });
    const spec = { ...fieldsOf(translation.manifest['spec']), version: undefined, edges: 'Follow' };
    const { source } = translateBack({ olm: ignoring, wanted: translation.manifest }, spec);
    expect(fieldsOf(source)['catalog']).toMatchObject({ upgradeConstraintPolicy: 'CatalogProvided' });
  });
});
