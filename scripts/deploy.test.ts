/** What is deployed agrees with what is built: versions, ports, the user, and the levels of Pod Security. */
import { loadAll, load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { USER } from './build/base-layer.ts';
import { readText } from './source-files.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: { readonly runAsUser: number };
        readonly containers: readonly {
          readonly image: string;
          readonly ports: readonly { containerPort: number }[];
        }[];
      };
    };
  };
}

const { version } = JSON.parse(readText('package.json') ?? '') as { readonly version: string };
const objects = loadAll(readText('deploy/install.yaml') ?? '') as Manifest[];
const deployment = objects.find(({ kind }) => kind === 'Deployment')?.spec?.template.spec;

describe('install.yaml', () => {
  test('has each object once, what others need first', () => {
    const kinds = objects.map(({ kind }) => kind);
    expect(new Set(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).size).toBe(objects.length);
    expect(kinds.indexOf('Namespace')).toBeLessThan(kinds.indexOf('ServiceAccount'));
    expect(kinds.indexOf('ClusterRoleBinding')).toBeLessThan(kinds.indexOf('Deployment'));
    expect(kinds.filter((kind) => kind === 'CustomResourceDefinition')).toHaveLength(3);
  });

  test('runs the version of this repository, as the user of the image', () => {
    expect(deployment?.containers.map(({ image }) => image)).toEqual([`slipway.dev/manager:${version}`]);
    expect(deployment?.securityContext.runAsUser).toBe(USER);
  });

  test('puts the manager under restricted Pod Security', () => {
    const namespace = objects.find(({ kind }) => kind === 'Namespace');
    expect(namespace?.metadata.labels?.['pod-security.kubernetes.io/enforce']).toBe('restricted');
  });

  test('gives a stopping manager longer than it takes: 20 s for its work, 2 s for events, 5 s for the lease', () => {
    expect(deployment?.terminationGracePeriodSeconds).toBeGreaterThan(20 + 2 + 5);
  });
});

test('the chart has the version of this repository', () => {
  const chart = load(readText('deploy/chart/Chart.yaml') ?? '') as { readonly [field: string]: unknown };
  expect(chart).toMatchObject({ version, appVersion: version });
});
