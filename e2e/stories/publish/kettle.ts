/** The YAML of the guide for authors: an operator as it is before it has a bundle. */
import { stepsOf } from '../../../scripts/shell-steps.ts';

const GUIDE = 'docs/how-to/make-a-bundle-of-plain-yaml.md';
/** Of the guide; CRDs of two kettles in one cluster have a group each. */
const GROUP = 'kettles.example';

/** The objects, with the images of a version. */
export function kettleYaml(version: string, group: string = GROUP): string {
  const script =
    stepsOf(GUIDE)
      .map((step) => step.script)
      .find((text) => text.includes('kind: Deployment')) ?? '';
  const yaml = /<<END\n([^]*?)\nEND\n/.exec(script)?.[1];
  if (yaml === undefined) throw new Error(`${GUIDE} has no YAML of an operator`);
  return `${yaml.replaceAll(':v1.0.0', `:v${version}`).replaceAll(GROUP, group)}\n`;
}

/** The same as a chart: its CRD in `crds/`, with a short name in every version but the first. */
export function kettleChart(version: string, group?: string): ReadonlyMap<string, string> {
  const documents = kettleYaml(version, group)
    .replaceAll('namespace: kettle-system', 'namespace: {{ .Release.Namespace }}')
    .split('---\n');
  const isCrd = (text: string): boolean => text.includes('kind: CustomResourceDefinition');
  const templates = documents.filter((text) => !isCrd(text) && !text.includes('kind: Namespace'));
  const names = version === '1.0.0' ? 'plural: kettles' : 'plural: kettles, shortNames: [ket]';
  return new Map([
    ['Chart.yaml', `apiVersion: v2\nname: kettle\nversion: ${version}\n`],
    ['crds/kettles.yaml', documents.find(isCrd)!.replaceAll('plural: kettles', names)],
    ['templates/operator.yaml', templates.join('---\n')],
    ['templates/tests/try.yaml', TEST],
  ]);
}

const TEST = `apiVersion: v1
kind: Pod
metadata: {name: try, annotations: {helm.sh/hook: test}}
spec: {containers: [{name: try, image: registry.example/try:v1}]}
`;
