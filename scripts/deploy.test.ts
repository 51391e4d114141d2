/** The deployed objects agree with the build: versions, ports, times, and the levels of Pod Security. */
import { loadAll, load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { judgePolicy } from '../cmd/manager/accounts-policy.ts';
import { parseOptions } from '../cmd/manager/options.ts';
import { CHECK_MS } from '../cmd/serving/answer-checks.ts';
import { FLUSH_MILLISECONDS } from '../cmd/manager/wire.ts';
import { SHUTDOWN_SECONDS } from '../kube/controller/controller.ts';
import { RELEASE_MILLISECONDS } from '../kube/election/lease-candidate.ts';
import { reaches, type Egress } from './network-policy.ts';
import { readText } from './source-files.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: Readonly<Record<string, unknown>>;
}

interface DeploymentSpec {
  readonly replicas: number;
  readonly strategy: object;
  readonly template: { readonly metadata: { readonly labels: object }; readonly spec: PodSpec };
}

interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: object;
  readonly nodeSelector?: object;
  readonly containers: readonly [Container];
  readonly volumes: readonly { readonly name: string }[];
}

interface Container {
  readonly image: string;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext: object;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
}

const { version } = JSON.parse(readText('package.json') ?? '') as { readonly version: string };
const objects = loadAll(readText('deploy/install.yaml') ?? '') as Manifest[];
const deployment = specOf('Deployment') as unknown as DeploymentSpec;
const pod = deployment.template.spec;
const [manager] = pod.containers;
const defaults = parseOptions([], {});

describe('install.yaml', () => {
  test('has each object once, what others need first', () => {
    const kinds = objects.map(({ kind }) => kind);
    expect(new Set(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).size).toBe(objects.length);
    expect(kinds.indexOf('Namespace')).toBeLessThan(kinds.indexOf('ServiceAccount'));
    expect(kinds.indexOf('ClusterRoleBinding')).toBeLessThan(kinds.indexOf('Deployment'));
    expect(kinds.filter((kind) => kind === 'CustomResourceDefinition')).toHaveLength(4);
    expect(kinds.indexOf('ValidatingAdmissionPolicyBinding')).toBeLessThan(kinds.indexOf('Deployment'));
  });

  test('has the policy about accounts, which denies, and covers every part of the objects that decide about an installation', () => {
    expect(judgePolicy(policiesOf(objects), 'slipway-system')).toEqual({
      inForce: true,
      message: expect.any(String) as string,
    });
    const { matchConstraints, failurePolicy } = specOf('ValidatingAdmissionPolicy');
    expect(failurePolicy).toBe('Fail');
    expect(matchConstraints).toEqual({
      resourceRules: [
        {
          apiGroups: ['slipway.dev'],
          apiVersions: ['*'],
          resources: ['subscriptions', 'subscriptions/*', 'revisions', 'revisions/*'],
          operations: ['CREATE', 'UPDATE', 'DELETE'],
        },
      ],
    });
  });

  test('runs the version of this repository, on nodes that can run it', () => {
    expect(pod.containers.map(({ image }) => image)).toEqual([`slipway.dev/manager:${version}`]);
    expect(pod.nodeSelector).toEqual({ 'kubernetes.io/os': 'linux' });
  });

  test('names no user: the image has one that is a number, and OpenShift gives each namespace its own', () => {
    expect(pod.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  });

  test('puts the manager under restricted Pod Security', () => {
    const namespace = objects.find(({ kind }) => kind === 'Namespace');
    expect(namespace?.metadata.labels?.['pod-security.kubernetes.io/enforce']).toBe('restricted');
  });

  test('lets the manager write nowhere but to its data, and gain no rights', () => {
    expect(manager.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(manager.volumeMounts).toEqual([{ name: 'data', mountPath: defaults['data-folder'] }]);
    expect(pod.volumes).toEqual([{ name: 'data', emptyDir: { sizeLimit: '2Gi' } }]);
    expect(manager.env).toContainEqual({ name: 'SQLITE_TMPDIR', value: defaults['data-folder'] });
  });

  test.each([
    { probe: manager.livenessProbe, path: '/healthz' },
    { probe: manager.readinessProbe, path: '/readyz' },
  ])('probes $path where the manager listens, and waits longer than a check takes', ({ probe, path }) => {
    expect(probe.httpGet).toEqual({ path, port: 'probes' });
    expect(manager.ports).toEqual([
      { name: 'http', containerPort: Number(defaults.listen.split(':').at(-1)) },
      { name: 'probes', containerPort: Number(defaults['listen-probes'].split(':').at(-1)) },
    ]);
    expect(probe.timeoutSeconds * 1000).toBeGreaterThan(CHECK_MS);
  });

  test('notices within 2 s that a replica is ready', () => {
    expect(manager.readinessProbe.periodSeconds).toBeLessThanOrEqual(2);
    expect(manager.readinessProbe).not.toHaveProperty('initialDelaySeconds');
  });

  test('has two replicas, of which no update and no drain takes away both', () => {
    expect(deployment.replicas).toBe(2);
    expect(deployment.strategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
    });
    expect(specOf('PodDisruptionBudget')).toMatchObject({ maxUnavailable: 1 });
  });

  test.each(['PodDisruptionBudget', 'NetworkPolicy', 'Service'])(
    'means the Pods of the manager with the %s',
    (kind) => {
      const { selector, podSelector } = specOf(kind) as Record<string, { readonly matchLabels?: object } | undefined>;
      const chosen = podSelector ?? selector;
      expect(chosen?.matchLabels ?? chosen).toEqual(deployment.template.metadata.labels);
    },
  );

  test('gives a stopping manager longer than it takes for its work, for events and for the lease', () => {
    const milliseconds = SHUTDOWN_SECONDS * 1000 + FLUSH_MILLISECONDS + RELEASE_MILLISECONDS;
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(milliseconds);
  });
});

describe('the network policy', () => {
  test('admits clients of labelled namespaces to the port of clients, and no client to the port of probes', () => {
    expect(specOf('NetworkPolicy')['ingress']).toEqual([
      {
        from: [{ namespaceSelector: { matchLabels: { 'slipway.dev/client': 'true' } } }],
        ports: [{ protocol: 'TCP', port: 'http' }],
      },
    ]);
    expect(specOf('Service')['ports']).toEqual([{ name: 'http', port: 80, targetPort: 'http' }]);
  });

  const { egress } = specOf('NetworkPolicy') as { readonly egress: readonly Egress[] };

  test.each([
    { address: '10.96.0.1', port: 443, because: 'the API server by its Service' },
    { address: '192.168.1.10', port: 6443, because: 'the API server on a node' },
    { address: '203.0.113.7', port: 443, because: 'a registry' },
    { address: '203.0.113.7', port: 5000, because: 'a registry on a port of its own' },
    { address: '10.0.0.9', port: 80, because: 'a registry without TLS' },
    { address: '2001:db8::7', port: 443, because: 'a registry on IPv6' },
  ])('lets the manager reach $because', ({ address, port }) => {
    expect(reaches(egress, address, port)).toBe(true);
  });

  test.each([
    { address: '169.254.169.254', because: 'the address that most clouds have for it' },
    { address: '169.254.170.23', because: 'credentials of Pods' },
    { address: '100.100.100.200', because: 'a cloud with an address of its own' },
    { address: '168.63.129.16', because: 'the settings of a machine' },
    { address: 'fd00:ec2::254', because: 'the same on IPv6' },
  ])('keeps it from the credentials of the node at $address: $because', ({ address }) => {
    expect(reaches(egress, address, 80)).toBe(false);
  });
});

test('the chart has the version of this repository', () => {
  const chart = load(readText('deploy/chart/Chart.yaml') ?? '') as { readonly [field: string]: unknown };
  expect(chart).toMatchObject({ version, appVersion: version });
});

type Judged = Parameters<typeof judgePolicy>[0];

function policiesOf(all: readonly Manifest[]): Judged {
  const ofKind = (wanted: string): Judged[0] => all.filter(({ kind }) => kind === wanted) as unknown as Judged[0];
  return [ofKind('ValidatingAdmissionPolicy'), ofKind('ValidatingAdmissionPolicyBinding')];
}

function specOf(wanted: string): Readonly<Record<string, unknown>> {
  return objects.find(({ kind }) => kind === wanted)?.spec ?? {};
}
