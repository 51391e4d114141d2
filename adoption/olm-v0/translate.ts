/** Translates objects of OLM v0 into those of Slipway. Pure. */
import { API_VERSION } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, isRecord, itemsOf, listOf, textOf, type Fields } from '../../api/untyped.ts';
import { packageOf, type OlmSurvey } from './survey.ts';

export interface Translation {
  readonly manifest: KubeObject;
  /** What has no counterpart, such as fields of OLM's object, each with the effect. */
  readonly dropped: readonly string[];
}

export interface SubscriptionNames {
  /** Name of Slipway's Subscription. */
  readonly name: string;
  /** Name of the Catalog; absent: each may be used. */
  readonly catalog?: string;
  /** The installed version, to which the Subscription is pinned until the operator is handed over. */
  readonly version: string;
  /** Variables of the cluster's proxy, for `spec.config.env`. */
  readonly proxy?: readonly Fields[];
}

/** The Subscription that goes on with the operator. */
export function translateSubscription(
  survey: OlmSurvey,
  { name, catalog, version, proxy = [] }: SubscriptionNames,
): Translation {
  const { namespace, subscription, operatorCondition } = survey;
  const { channel, installPlanApproval, config } = fieldsOf(subscription?.['spec']);
  const watched = watchedNamespaces(survey);
  const { kept, dropped } = splitConfig(fieldsOf(config));
  const asked = proxy.length === 0 ? kept : { ...kept, env: [...listOf(kept['env']), ...proxy] };
  const spec = {
    package: packageOf(survey),
    ...(catalog !== undefined && { catalog }),
    ...(textOf(channel) !== '' && { channel: textOf(channel) }),
    version,
    approval: installPlanApproval === 'Manual' ? 'Manual' : 'Automatic',
    // OLM has resolved them, and its Subscriptions of them are handed over one by one.
    dependencies: 'Ignore',
    ...(watched !== undefined && { watchNamespaces: watched }),
    ...(Object.keys(asked).length > 0 && { config: asked }),
    ...(isUsed(operatorCondition) && { operatorCondition: 'Always' }),
  };
  const manifest = { apiVersion: API_VERSION, kind: 'Subscription', metadata: { name, namespace }, spec };
  return {
    manifest,
    dropped: [
      ...dropped.map((field) => `spec.config.${field} of OLM's Subscription has no counterpart`),
      ...(proxy.length === 0 ? [] : [PROXY_STAYS]),
    ],
  };
}

const PROXY_STAYS =
  'OLM sets the variables of the cluster-wide proxy again when the proxy changes. Slipway keeps the present ones, in spec.config.env';

/** OLM creates an OperatorCondition for every operator; few write it. */
function isUsed(condition: KubeObject | undefined): boolean {
  const { conditions, overrides } = fieldsOf(condition?.['spec']);
  const reported = fieldsOf(condition?.['status'])['conditions'];
  return [conditions, overrides, reported].some((list) => listOf(list).length > 0);
}

/** The namespaces that the OperatorGroup targets; undefined for all. */
function watchedNamespaces({ operatorGroups: [group] }: OlmSurvey): readonly string[] | undefined {
  const namespaces = itemsOf(fieldsOf(group?.['status'])['namespaces']).map(textOf);
  return namespaces.length === 0 || namespaces.includes('') ? undefined : namespaces.toSorted();
}

/** The fields of `spec.config` that both have. */
const CONFIG_FIELDS: ReadonlySet<string> = new Set([
  'affinity',
  'annotations',
  'env',
  'envFrom',
  'nodeSelector',
  'resources',
  'tolerations',
  'volumeMounts',
  'volumes',
]);

function splitConfig(config: Fields): { readonly kept: Fields; readonly dropped: readonly string[] } {
  const kept = Object.entries(config).filter(([field, value]) => CONFIG_FIELDS.has(field) && !isEmpty(value));
  const dropped = Object.keys(config).filter((field) => !CONFIG_FIELDS.has(field) && !isEmpty(config[field]));
  return { kept: Object.fromEntries(kept), dropped };
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (isRecord(value) ? Object.keys(value).length === 0 : itemsOf(value).length === 0 && Array.isArray(value))
  );
}

/**
 * The Catalogs with the content of CatalogSources, without those that name no image. Catalogs are of the whole cluster: of
 * several CatalogSources of one name each gets its namespace in the name.
 */
export function translateCatalogSources(sources: readonly KubeObject[]): readonly Translation[] {
  const named = Map.groupBy(sources, ({ metadata }) => metadata.name);
  return sources.flatMap((source) => {
    const { name, namespace } = source.metadata;
    const isAlone = named.get(name)?.length === 1;
    return translateCatalogSource(source, isAlone ? name : `${name}-${namespace}`) ?? [];
  });
}

function translateCatalogSource(source: KubeObject, name: string): Translation | undefined {
  const { image, priority, secrets, updateStrategy } = fieldsOf(source['spec']);
  if (textOf(image) === '') return undefined;
  const [secret, ...others] = itemsOf(secrets).map(textOf);
  const interval = textOf(fieldsOf(fieldsOf(updateStrategy)['registryPoll'])['interval']);
  const spec = {
    source: { image: { ref: textOf(image) } },
    ...(interval !== '' && !textOf(image).includes('@') && { interval }),
    ...(typeof priority === 'number' && priority !== 0 && { priority }),
    ...(secret !== undefined && { pullSecret: { name: secret } }),
  };
  const manifest = { apiVersion: API_VERSION, kind: 'Catalog', metadata: { name }, spec };
  const copy = `Secret ${secret} has to be copied from namespace ${source.metadata.namespace} to the namespace of the manager`;
  return {
    manifest,
    dropped: [
      ...(secret === undefined ? [] : [copy]),
      ...others.map((other) => `Secret ${other} is not used: a Catalog has one pull secret`),
    ],
  };
}
