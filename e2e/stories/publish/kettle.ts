/** The YAML of the guide for authors: an operator as it is before it has a bundle. */
import { stepsOf } from '../../../scripts/shell-steps.ts';

const GUIDE = 'docs/how-to/make-a-bundle-of-plain-yaml.md';

/** The objects, with the images of a version. */
export function kettleYaml(version: string): string {
  const script =
    stepsOf(GUIDE)
      .map((step) => step.script)
      .find((text) => text.includes('kind: Deployment')) ?? '';
  const yaml = /<<END\n([^]*?)\nEND\n/.exec(script)?.[1];
  if (yaml === undefined) throw new Error(`${GUIDE} has no YAML of an operator`);
  return `${yaml.replaceAll(':v1.0.0', `:v${version}`)}\n`;
}
