/**
 * Applies the configuration of a Subscription to a Deployment: first the settings for all Deployments, then those for
 * this one by its name, then those for one of its containers. Later values win; lists are added up. Values follow the
 * rules of OLM v0.
 */
import type { ContainerConfig, DeploymentConfig, OperatorConfig } from '../../../api/operator-config.ts';
import type { Bundle, Container } from '../../bundle.ts';
import type { Deployment, ConfigLayer } from '../model.ts';
import { configureContainer } from './containers.ts';
import { configurePods } from './pods.ts';
import { invalidConfig } from './read.ts';

/** @throws ReasonedError InvalidConfiguration for a value that a Pod cannot have; not worth a retry. */
export function configureDeployment(deployment: Deployment, config: OperatorConfig | undefined): Deployment {
  if (config === undefined) return deployment;
  const { name } = deployment.metadata;
  const own = config.deployments?.find((candidate) => candidate.name === name);
  const layers = [
    { path: 'config', config: withAnnotations(config, own) },
    ...(own === undefined ? [] : [layerOf(own)]),
  ];
  return layers.reduce(configurePods, withContainers(deployment, layers, own));
}

/** An annotation is added only if there is none yet, so those of the Deployment's own layer come first. */
function withAnnotations(config: OperatorConfig, own: DeploymentConfig | undefined): OperatorConfig {
  if (own?.annotations === undefined) return config;
  return { ...config, annotations: { ...config.annotations, ...own.annotations } };
}

function layerOf(config: DeploymentConfig): ConfigLayer<DeploymentConfig> {
  return { path: `config.deployments[${config.name}]`, config };
}

function withContainers(
  deployment: Deployment,
  layers: readonly ConfigLayer<OperatorConfig | DeploymentConfig>[],
  own: DeploymentConfig | undefined,
): Deployment {
  const { template } = deployment.spec;
  const containers = template.spec.containers?.map((container) =>
    [...layers, ...ownLayers(container, own)].reduce(configureContainer, container),
  );
  const pod = { ...template.spec, containers: containers ?? null };
  return { ...deployment, spec: { ...deployment.spec, template: { ...template, spec: pod } } };
}

function ownLayers({ name }: Container, own: DeploymentConfig | undefined): readonly ConfigLayer<ContainerConfig>[] {
  const config = own?.containers?.find((candidate) => candidate.name === name);
  if (own === undefined || config === undefined) return [];
  return [{ path: `config.deployments[${own.name}].containers[${name}]`, config }];
}

/**
 * Refuses a configuration for a Deployment or container that the bundle does not have.
 * @throws ReasonedError InvalidConfiguration, with the names that exist.
 */
export function checkConfigNames({ csv }: Bundle, config: OperatorConfig | undefined): void {
  const deployments = csv.spec.install.spec?.deployments ?? [];
  for (const { name, containers = [] } of config?.deployments ?? []) {
    const deployment = deployments.find((candidate) => candidate.name === name);
    const path = `config.deployments[${name}]`;
    if (deployment === undefined) throw noSuch(path, `Deployment "${name}"`, deployments);
    const existing = deployment.spec.template.spec.containers ?? [];
    for (const container of containers) {
      if (existing.some((candidate) => candidate.name === container.name)) continue;
      throw noSuch(`${path}.containers[${container.name}]`, `container "${container.name}"`, existing);
    }
  }
}

function noSuch(path: string, what: string, existing: readonly { readonly name: string }[]): Error {
  const names = existing.map(({ name }) => name).join(', ');
  return invalidConfig(path, `the bundle has no ${what}`, `It has ${names === '' ? 'none' : names}`);
}
