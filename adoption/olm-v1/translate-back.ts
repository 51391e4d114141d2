/**
 * Translates a Subscription of Slipway back into the spec of the ClusterExtension that it has come from. Pure. The spec is that
 * of the backup, with each setting that was changed since: else OLM would replace Pods, or go to a version that is out of range.
 */
import type { KubeObject } from '../../api/object.ts';
import { canonicalJson } from '../../api/json.ts';
import { fieldsOf, itemsOf, textOf, type Fields } from '../../api/untyped.ts';
import { catalogFilter } from './extension.ts';

export interface Origin {
  /** The ClusterExtension, as it was before the hand-over. */
  readonly olm: KubeObject;
  /** The Subscription, as the hand-over created it: pinned. */
  readonly wanted: KubeObject;
  /** The range of versions that followed the pin; absent: any. */
  readonly range?: string | undefined;
}

/** @param settings `spec` of the Subscription as it is now, without the pin of a way back. */
export function translateBack({ olm, wanted, range }: Origin, settings: Fields): Fields {
  const { config: kept, ...spec } = fieldsOf(olm['spec']);
  const before = { ...fieldsOf(wanted['spec']), version: range };
  const hasChanged = (...names: readonly string[]): boolean =>
    names.some((name) => canonicalJson(settingOf(before, name)) !== canonicalJson(settingOf(settings, name)));
  const config = hasChanged('config', 'watchNamespaces') ? configOf(settings) : kept;
  const { version: _version, ...filter } = catalogFilter(olm);
  const version = hasChanged('version') ? settings['version'] : catalogFilter(olm)['version'];
  const catalog = {
    ...filter,
    ...(version !== undefined && { version }),
    ...(hasChanged('channel') && { channels: channelsOf(settings) }),
    ...(hasChanged('edges') && {
      upgradeConstraintPolicy: settings['edges'] === 'Ignore' ? 'SelfCertified' : 'CatalogProvided',
    }),
  };
  return { ...spec, source: { ...fieldsOf(spec['source']), catalog }, ...(config !== undefined && { config }) };
}

/** A setting of a Subscription, with the default of the API server in the place of none. */
function settingOf(spec: Fields, name: string): unknown {
  const defaults: Fields = { config: {}, watchNamespaces: [], version: '', channel: '', edges: 'Follow' };
  return spec[name] ?? defaults[name];
}

/** OLM knows no default channel: none of them means all. */
function channelsOf({ channel }: Fields): readonly string[] {
  return ['', '*'].includes(textOf(channel)) ? [] : [textOf(channel)];
}

function configOf({ config, watchNamespaces }: Fields): Fields | undefined {
  const [watchNamespace] = itemsOf(watchNamespaces);
  const deploymentConfig = fieldsOf(config);
  const inline = {
    ...(watchNamespace !== undefined && { watchNamespace }),
    ...(Object.keys(deploymentConfig).length > 0 && { deploymentConfig }),
  };
  return Object.keys(inline).length === 0 ? undefined : { configType: 'Inline', inline };
}
