/** The objects of a bundle as a kustomization: a file for each object, and a list of them. Pure. */
import type { KubeObject } from '../../../../api/object.ts';
import { formatYaml } from '../../../../report/data.ts';
import { fileNames } from './file-names.ts';

/** The files by path. */
export function kustomization(objects: readonly KubeObject[]): ReadonlyMap<string, string> {
  const names = fileNames(objects);
  const list = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: names,
  };
  return new Map([
    ['kustomization.yaml', withoutSeparator(formatYaml([list]))],
    ...objects.map((object, at) => [names[at] ?? '', withoutSeparator(formatYaml([object]))] as const),
  ]);
}

/** The text of a single document. */
export function withoutSeparator(yaml: string): string {
  return yaml.replace(/^---\n/, '');
}
