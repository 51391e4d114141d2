/**
 * The objects of a bundle as a Helm chart, whose release decides the namespace. CRDs lie in `crds/`, so that helm installs
 * them before everything else and never deletes them with their objects; one that names the namespace has to be a
 * template. Pure.
 */
import { isCrd } from '../../../../api/crd-kind.ts';
import type { KubeObject } from '../../../../api/object.ts';
import { formatYaml } from '../../../../report/data.ts';
import { fileNames } from './file-names.ts';
import { withoutSeparator } from './kustomize.ts';

/** Stands for the namespace in the objects that a chart is made of; a valid name that no bundle uses. */
export const NAMESPACE_MARK = 'slipway-release-namespace-3f9c1b';

export interface ChartFacts {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
}

export interface ExportedChart {
  /** By path. */
  readonly files: ReadonlyMap<string, string>;
  /** Names of CRDs that are templates, as they name the namespace. */
  readonly crdTemplates: readonly string[];
}

/** The chart. `objects` are rendered for the namespace {@link NAMESPACE_MARK}. */
export function chart(objects: readonly KubeObject[], { name, version, description }: ChartFacts): ExportedChart {
  const names = fileNames(objects);
  const crdTemplates: string[] = [];
  const files = new Map([
    [
      'Chart.yaml',
      withoutSeparator(
        formatYaml([
          { apiVersion: 'v2', name, version, appVersion: version, ...(description !== undefined && { description }) },
        ]),
      ),
    ],
  ]);
  for (const [at, object] of objects.entries()) {
    const text = withoutSeparator(formatYaml([object]));
    if (isCrd(object) && !text.includes(NAMESPACE_MARK)) files.set(`crds/${names[at]}`, text);
    else
      files.set(
        `templates/${names[at]}`,
        templateOf(isCrd(object) ? withoutSeparator(formatYaml([kept(object)])) : text),
      );
    if (isCrd(object) && text.includes(NAMESPACE_MARK)) crdTemplates.push(object.metadata.name);
  }
  return { files, crdTemplates };
}

/** With the mark by which helm leaves it in the cluster: with a CRD all of its objects are deleted. */
function kept(object: KubeObject): KubeObject {
  const annotations = { ...object.metadata.annotations, 'helm.sh/resource-policy': 'keep' };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Braces of the objects stay text, and the mark becomes the namespace of the release, always as a text. */
function templateOf(text: string): string {
  const escaped = text.replaceAll('{{', '{{ "{{" }}');
  const whole = new RegExp(`(?<=[:-] )${NAMESPACE_MARK}$`, 'gm');
  return escaped.replaceAll(whole, '"{{ .Release.Namespace }}"').replaceAll(NAMESPACE_MARK, '{{ .Release.Namespace }}');
}
