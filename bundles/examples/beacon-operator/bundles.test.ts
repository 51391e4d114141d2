/** The bundles of the beacon operator are valid by every check, and start the program with options that it knows. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseBundle } from '../../parse.ts';
import { renderBundle } from '../../render/render.ts';
import { readBundleFolder } from '../../testing/folder.ts';
import { describeFinding, validateBundle } from '../../validate/validate.ts';
import { parseOptions } from './program/options.ts';

describe.each(['1.0.0', '1.1.0', '2.0.0'])('release %s of the beacon operator', (release) => {
  const files = readBundleFolder(join(import.meta.dirname, release));
  const bundle = parseBundle(files);

  test('the bundle of a release has no faults, whichever hub checks it', () => {
    const findings = validateBundle(bundle, { files });
    expect(findings.filter(({ level }) => level === 'error').map(describeFinding)).toEqual([]);
  });

  test('the bundle starts the program with valid options for its release', () => {
    const { args = [] } = containerOf(bundle);
    expect(parseOptions(args, {})).toMatchObject({ release, fault: 'none' });
  });

  test('the bundle runs the image of its release', () => {
    expect(containerOf(bundle).image).toBe(`registry.example/beacon-operator:v${release}`);
  });
});

type Container = { readonly image: string; readonly args?: readonly string[] };

function containerOf(bundle: ReturnType<typeof parseBundle>): Container {
  const objects = renderBundle(bundle, { namespace: 'lights', certificates: 'manager' });
  const deployment = objects.find(({ kind }) => kind === 'Deployment') as unknown as {
    readonly spec: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
  };
  return deployment.spec.template.spec.containers[0] as Container;
}
