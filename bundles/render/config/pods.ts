/** Applies the configuration to a Deployment and its Pods: scheduling, volumes, labels, annotations, replicas. */
import type { DeploymentConfig } from '../../../api/operator-config.ts';
import type { CsvLabelSelector, Named, PodSpec } from '../../bundle.ts';
import type { Deployment, ConfigLayer } from '../model.ts';
import { addMissing, override } from './containers.ts';
import { invalidConfig, readConfig } from './read.ts';

type PodLayer = ConfigLayer<Omit<DeploymentConfig, 'name'>>;
type Texts = Readonly<Record<string, string>>;

/** The Deployment with one layer of the configuration applied; its containers are changed elsewhere. */
export function configurePods(deployment: Deployment, layer: PodLayer): Deployment {
  const { replicas } = layer.config;
  const labels = checkedLabels(deployment, layer);
  const { template } = deployment.spec;
  return {
    ...deployment,
    metadata: withTexts(deployment.metadata, layer, labels),
    spec: {
      ...deployment.spec,
      ...(replicas !== undefined && { replicas }),
      template: {
        ...template,
        metadata: withTexts(template.metadata, layer, labels),
        spec: configurePod(template.spec, layer),
      },
    },
  };
}

/** Labels of the bundle may be replaced, but not those by which the Deployment finds its Pods. */
function checkedLabels({ spec }: Deployment, { path, config }: PodLayer): Texts | undefined {
  const current = spec.template.metadata.labels ?? {};
  const used = selectorKeys(spec.selector);
  for (const [key, value] of Object.entries(config.labels ?? {})) {
    if (!used.has(key) || (Object.hasOwn(current, key) && current[key] === value)) continue;
    const hint = `The bundle finds its Pods by the label ${key}: leave it out`;
    throw invalidConfig(`${path}.labels[${key}]`, 'the label is used by the selector of the Deployment', hint);
  }
  return config.labels;
}

function selectorKeys(selector: CsvLabelSelector | null): ReadonlySet<string> {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return new Set([...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)]);
}

/** Annotations of the bundle win over those of the configuration, as in OLM. */
function withTexts<Meta extends { readonly annotations?: Texts; readonly labels?: Texts }>(
  metadata: Meta,
  { config }: PodLayer,
  labels: Texts | undefined,
): Meta {
  const { annotations } = config;
  return {
    ...metadata,
    ...(annotations !== undefined && { annotations: { ...annotations, ...metadata.annotations } }),
    ...(labels !== undefined && { labels: { ...metadata.labels, ...labels } }),
  };
}

function configurePod(pod: PodSpec, { path, config }: PodLayer): PodSpec {
  const volumes = readConfig('[]Volume', config.volumes ?? [], `${path}.volumes`) as readonly Named[];
  const tolerations = readConfig('[]Toleration', config.tolerations ?? [], `${path}.tolerations`) as unknown[];
  return {
    ...withAffinity(pod, config.affinity, `${path}.affinity`),
    ...(config.nodeSelector !== undefined && { nodeSelector: config.nodeSelector }),
    ...(tolerations.length > 0 && { tolerations: addMissing(pod.tolerations ?? [], tolerations) }),
    ...(config.imagePullSecrets !== undefined && {
      imagePullSecrets: override(
        (pod.imagePullSecrets ?? []) as readonly Named[],
        config.imagePullSecrets,
        ({ name }) => name,
      ),
    }),
    ...(volumes.length > 0 && { volumes: override(pod.volumes ?? [], volumes, ({ name }) => name) }),
  };
}

/** Each part of the affinity replaces that of the bundle; an empty part, or an empty whole, erases it. */
function withAffinity(pod: PodSpec, affinity: unknown, path: string): PodSpec {
  if (affinity === undefined) return pod;
  const wanted = readConfig('Affinity', affinity, path) as Readonly<Record<string, object>>;
  const kept = Object.keys(wanted).length === 0 ? {} : pod.affinity;
  const parts = Object.entries({ ...kept, ...wanted }).filter(([, part]) => !isEmpty(part));
  const { affinity: _bundle, ...rest } = pod;
  return parts.length === 0 ? rest : { ...rest, affinity: Object.fromEntries(parts) };
}

function isEmpty(part: unknown): boolean {
  return part !== null && typeof part === 'object' && Object.keys(part).length === 0;
}
