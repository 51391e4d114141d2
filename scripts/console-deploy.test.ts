/** The deployed console agrees with its program: command, ports, files, and rights that are as few as it needs. */
import { loadAll } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { parseOptions } from '../cmd/console/options.ts';
import { CHECK_MS } from '../cmd/serving/answer-checks.ts';
import { NODE_PATH } from './build/base-layer.ts';
import { CONSOLE_OPTIONS, IMAGE_ENTRIES } from './build/manager-image.ts';
import { readText } from './source-files.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules?: readonly Rule[];
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Container {
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports: readonly object[];
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly readinessProbe: { readonly httpGet: object; readonly timeoutSeconds: number };
}

const objects = ['rbac', 'config', 'deployment', 'service', 'network-policy'].flatMap(
  (name) => loadAll(readText(`deploy/console/${name}.yaml`) ?? '') as Manifest[],
);
const template = (specOf('Deployment')['template'] as { readonly spec: Readonly<Record<string, unknown>> }).spec;
const [container] = template['containers'] as readonly [Container];
const settings = objects.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
const { version } = JSON.parse(readText('package.json') ?? '') as { readonly version: string };

describe('the deployed console', () => {
  test('runs the program that the image of the manager has, as whatever user, on nodes that can run it', () => {
    expect(container.image).toBe(`slipway.dev/manager:${version}`);
    expect(container.command).toEqual([NODE_PATH, ...CONSOLE_OPTIONS, '/app/console.js']);
    expect(IMAGE_ENTRIES).toHaveProperty('console');
    expect(template['securityContext']).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(template['nodeSelector']).toEqual({ 'kubernetes.io/os': 'linux' });
  });

  test('writes to no file, and gains no rights', () => {
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.volumeMounts.every(({ readOnly }) => readOnly === true)).toBe(true);
  });

  test('has settings that its program accepts, and the ports that it listens on', () => {
    const env = Object.fromEntries(container.env.map(({ name, value = 'x' }) => [name, value]));
    const options = parseOptions([], { ...settings, ...env });
    const portOf = (text: string): number => Number(text.split(':').at(-1));
    expect(container.ports).toEqual([
      { name: 'http', containerPort: portOf(options.listen) },
      { name: 'probes', containerPort: portOf(options['listen-probes']) },
      { name: 'metrics', containerPort: portOf(options['listen-metrics']) },
    ]);
    const folders = container.volumeMounts.map(({ mountPath }) => mountPath);
    for (const file of [options['session-keys'], options['content-token-file'], options['oidc-client-secret-file']])
      expect(folders.some((folder) => file?.startsWith(folder))).toBe(true);
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'probes' });
    expect(container.readinessProbe.timeoutSeconds * 1000).toBeGreaterThan(CHECK_MS);
  });

  test('may list and watch the objects of Slipway and events, act as people, review tokens, and nothing else', () => {
    const rules = objects
      .flatMap(({ rules: own = [] }) => own)
      .map(
        ({ apiGroups, resources, resourceNames = [], verbs }) =>
      [apiGroups.join(), resources.map((one) => one.split('/')[0]).filter((one, at, all) => all.indexOf(one) === at).join(), resourceNames.join(), verbs.join()].join(' | '), // prettier-ignore
      );
    expect(rules.toSorted()).toEqual(
      [
        'coordination.k8s.io | leases | slipway-manager | list,watch',
        'slipway.dev | catalogs,subscriptions,revisions,registrypolicies |  | list,watch',
        'slipway.dev | catalogs |  | get',
        'events.k8s.io | events |  | list,watch',
        ' | users,groups,serviceaccounts |  | impersonate',
        'authentication.k8s.io | uids,userextras |  | impersonate',
        'authentication.k8s.io | tokenreviews |  | create',
      ].toSorted(),
    );
  });
});

function specOf(wanted: string): Readonly<Record<string, unknown>> {
  return objects.find(({ kind }) => kind === wanted)?.spec ?? {};
}
