/** Changes to a container: environment, resources, mounts, arguments. Init containers stay as they are. */
import type { ContainerConfig } from '../../../api/operator-config.ts';
import { canonicalJson } from '../../../api/json.ts';
import type { Container, Named, VolumeMount } from '../../bundle.ts';
import type { ConfigLayer } from '../model.ts';
import { readConfig } from './read.ts';

type ContainerLayer = ConfigLayer<Omit<ContainerConfig, 'name'>>;

/** The container with one layer of the configuration applied. */
export function configureContainer(container: Container, layer: ContainerLayer): Container {
  const { args, resources } = layer.config;
  return {
    ...container,
    ...(args !== undefined && { args: [...(container.args ?? []), ...args] }),
    ...environment(container, layer),
    ...(resources !== undefined && {
      resources: readConfig('ResourceRequirements', resources, `${layer.path}.resources`) as Container['resources'],
    }),
    ...mounts(container, layer),
  };
}

function environment(container: Container, { path, config }: ContainerLayer): Partial<Container> {
  const env = readConfig('[]EnvVar', config.env ?? [], `${path}.env`) as readonly Named[];
  const envFrom = readConfig('[]EnvFromSource', config.envFrom ?? [], `${path}.envFrom`) as readonly unknown[];
  return {
    ...(env.length > 0 && { env: override(container.env ?? [], env, ({ name }) => name) }),
    ...(envFrom.length > 0 && { envFrom: addMissing(container.envFrom ?? [], envFrom) }),
  };
}

function mounts(container: Container, { path, config }: ContainerLayer): Partial<Container> {
  const added = readConfig('[]VolumeMount', config.volumeMounts ?? [], `${path}.volumeMounts`) as VolumeMount[];
  if (added.length === 0) return {};
  return { volumeMounts: override(container.volumeMounts ?? [], added, ({ mountPath }) => mountPath) };
}

/** Replaces in place the items with the same key, and appends the rest. */
export function override<Item>(
  existing: readonly Item[],
  added: readonly Item[],
  keyOf: (item: Item) => string,
): readonly Item[] {
  const result = [...existing];
  const places = new Map(existing.map((item, at) => [keyOf(item), at] as const).toReversed());
  for (const item of added) {
    const at = places.get(keyOf(item));
    if (at === undefined) places.set(keyOf(item), result.push(item) - 1);
    else result[at] = item;
  }
  return result;
}

/** Appends the items that are missing. */
export function addMissing(existing: readonly unknown[], added: readonly unknown[]): readonly unknown[] {
  const known = new Set(existing.map(canonicalJson));
  const missing = added.filter((item) => {
    const text = canonicalJson(item);
    return !known.has(text) && known.add(text);
  });
  return [...existing, ...missing];
}
