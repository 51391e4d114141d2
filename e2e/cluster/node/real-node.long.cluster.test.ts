import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { createAuthority } from '../certificates.ts';
import { realNodeObstacle, startCluster, type TestCluster } from '../cluster.ts';
import { identify } from '../process-identity.ts';
import { until } from '../../lib/until.ts';
import { clusterCgroup } from './cgroups.ts';
import { POD_IMAGE } from './node-files.ts';

/** In `make test` the stories on real nodes need most of it. */
const obstacle = realNodeObstacle();
const SAFE = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
};

describe.skipIf(obstacle !== undefined)(obstacle ?? 'a real node', () => {
  describe('runs Pods', () => {
    const cluster = useCluster({ node: 'real' });

    test('under restricted Pod Security, and they become available when they say that they are ready', async () => {
      await namespace(cluster(), 'restricted');
      await apply(cluster(), deployment({ namespace: 'restricted', name: 'web' }));
      await available(cluster(), 'restricted', 'web');
    });

    test('whose ServiceAccount token opens the API at the address that every Pod knows', async () => {
      await cluster().kubectl(['create', 'clusterrole', 'lister', '--verb=list', '--resource=namespaces']);
      const names = ['--clusterrole=lister', '--serviceaccount=restricted:default'];
      await cluster().kubectl(['create', 'clusterrolebinding', 'lister', ...names]);
      const address = await podAddress(cluster(), 'restricted', 'web');
      const answer = await until('the right counts', async () => {
        const one = await fetch(`http://${address}:8080/namespaces`);
        return one.status === 200 ? one : undefined;
      });
      expect(await answer.text()).toContain('kube-system');
    });

    test('behind Services that answer on this machine', async () => {
      await apply(cluster(), service({ namespace: 'restricted', name: 'web', port: 8080 }));
      const address = await cluster().kubectl(['get', 'service', 'web', '-n', 'restricted', '-o', CLUSTER_IP]);
      await until(
        'the Service answers',
        async () => (await fetch(`http://${address}/healthz`).catch(() => undefined))?.ok === true,
      );
    });

    test('whose logs are read and in which commands run', async () => {
      const pod = ['-n', 'restricted', 'deployment/web'];
      expect(await cluster().kubectl(['logs', ...pod])).toContain('serving');
      const account = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
      expect(await cluster().kubectl(['exec', ...pod, '--', '/pod', 'show', account])).toBe('restricted');
    });

    test('with Secrets and ConfigMaps as files', async () => {
      await cluster().kubectl(['create', 'secret', 'generic', 'told', '--from-literal=word=swordfish']);
      await cluster().kubectl(['create', 'configmap', 'told', '--from-literal=word=shibboleth']);
      await apply(cluster(), {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'reader' },
        spec: {
          restartPolicy: 'Never',
          containers: [
            {
              ...container('reader', ['show', '/secret/word', '/config/word']),
              volumeMounts: [
                { name: 'secret', mountPath: '/secret' },
                { name: 'config', mountPath: '/config' },
              ],
            },
          ],
          volumes: [
            { name: 'secret', secret: { secretName: 'told' } },
            { name: 'config', configMap: { name: 'told' } },
          ],
        },
      });
      await cluster().kubectl(['wait', 'pod/reader', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=180s']);
      expect(await cluster().kubectl(['logs', 'reader'])).toBe('swordfishshibboleth');
    });

    test('which are killed when they take more memory than they may', async () => {
      await apply(cluster(), deployment({ namespace: 'restricted', name: 'greedy', memory: '64Mi' }));
      await available(cluster(), 'restricted', 'greedy');
      const address = await podAddress(cluster(), 'restricted', 'greedy');
      await until('it is killed', async () => {
        await fetch(`http://${address}:8080/memory`).catch(() => undefined);
        const path = 'jsonpath={.items[0].status.containerStatuses[0].lastState.terminated.reason}';
        const reason = await cluster().kubectl(['get', 'pods', '-n', 'restricted', '-l', 'app=greedy', '-o', path]);
        return reason === 'OOMKilled';
      });
    });

    test('whose containers start again when they end', async () => {
      await fetch(`http://${await podAddress(cluster(), 'restricted', 'web')}:8080/exit`).catch(() => undefined);
      await until('it is started again', async () => (await podField(cluster(), 'web', 'restartCount')) === '1');
      await available(cluster(), 'restricted', 'web');
    });

    test('from images of the cluster’s registry and from nowhere else', async () => {
      await apply(cluster(), deployment({ namespace: 'restricted', name: 'lost', image: 'registry.invalid/lost:1' }));
      // the kubelet goes back and forth between this state and a pause, of which the message has no cause
      const waiting = await until('the image cannot be pulled', async () => {
        const told = await podField(cluster(), 'lost', 'state.waiting');
        return told.includes('"ErrImagePull"') ? told : undefined;
      });
      expect(waiting).toContain('not found');
    });

    test('that crash: the state shows it, and the log has the cause', async () => {
      await apply(cluster(), deployment({ namespace: 'restricted', name: 'broken', args: ['fail'] }));
      await until(
        'it crashes again and again',
        async () => (await podField(cluster(), 'broken', 'state.waiting.reason')) === 'CrashLoopBackOff',
      );
      const logs = ['logs', '-n', 'restricted', 'deployment/broken', '--previous'];
      expect(await cluster().kubectl(logs)).toMatch(/told to fail/);
    });

    test('that serve webhooks, which the API server calls', async () => {
      await serveWebhook(cluster());
      const refused = (): Promise<string> =>
        cluster().kubectl(['create', 'configmap', 'refused', '-n', 'restricted']).then(deleteIt, String);
      const deleteIt = async (): Promise<string> => {
        await cluster().kubectl(['delete', 'configmap', 'refused', '-n', 'restricted']);
        return 'created';
      };
      await until('the webhook is called', async () => (await refused()).includes('denied by a Pod behind a Service'));
    });

    test('without any effect on the settings of this machine’s kernel', async () => {
      const inside = await cluster().onNode('node-1', ['cat', '/proc/sys/kernel/panic']);
      expect(inside.trim()).toBe('10');
      expect(readFileSync('/proc/sys/kernel/panic', 'utf8').trim()).not.toBe('10');
      expect(readFileSync('/proc/sys/kernel/hostname', 'utf8').trim()).not.toBe('node-1');
    });
  });

  describe('side by side', () => {
    let clusters: readonly TestCluster[] = [];

    beforeAll(async () => {
      const several = startCluster({ node: 'real', realNodes: 2, fakeNodes: 1 });
      clusters = await Promise.all([several, startCluster({ node: 'real' })]);
    });
    afterAll(() => stopAll());

    async function stopAll(): Promise<void> {
      await Promise.all(clusters.map(({ stop }) => stop()));
    }

    test('two real ones and a fake one: Pods are scheduled to the real ones, and a killed one is restarted', async () => {
      const cluster = clusters[0]!;
      await namespace(cluster, 'restricted');
      await apply(cluster, deployment({ namespace: 'restricted', name: 'web', replicas: 2, spread: true }));
      await available(cluster, 'restricted', 'web');
      const nodes = ['get', 'pods', '-n', 'restricted', '-o', 'jsonpath={.items[*].spec.nodeName}'];
      expect((await cluster.kubectl(nodes)).split(' ').toSorted()).toEqual(['node-1', 'node-2']);
      await apply(cluster, service({ namespace: 'restricted', name: 'web', port: 8080 }));
      await cluster.kill('node-2');
      await cluster.restart('node-2');
      await until(
        'both Pods are ready',
        async () => (await cluster.kubectl(['get', 'pods', '-n', 'restricted'])).match(/ 1\/1 /g)?.length === 2,
      );
    });

    test('clusters know nothing of each other, and leave nothing behind', async () => {
      expect(new Set(clusters.map(({ registry }) => registry)).size).toBe(2);
      const pids = clusters.flatMap(({ processes }) => [...processes().values()]);
      const made = clusters.flatMap(tracesOf);
      await stopAll();
      expect(pids.filter((pid) => identify(pid) !== undefined)).toEqual([]);
      expect(made.filter(isLeft)).toEqual([]);
      expect(clusters.filter(({ folder }) => existsSync(folder))).toEqual([]);
    });
  });

  test('nothing is left of a cluster with a real node whose owner is killed', async () => {
    const owner = spawn(process.execPath, [join(import.meta.dirname, 'testing', 'owner.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
    const killed = JSON.parse(line) as Traced & { readonly pids: readonly number[] };
    const made = tracesOf(killed);
    owner.kill('SIGKILL');
    await until(
      'processes and folder are gone',
      () => killed.pids.every((pid) => identify(pid) === undefined) && !existsSync(killed.folder),
    );
    await until('its traces are gone', () => !made.some(isLeft));
  });
});

const CLUSTER_IP = 'jsonpath={.spec.clusterIP}';

interface Workload {
  readonly namespace: string;
  readonly name: string;
  readonly image?: string;
  readonly args?: readonly string[];
  readonly memory?: string;
  readonly replicas?: number;
  readonly spread?: boolean;
  readonly secret?: string;
}

function deployment({ namespace, name, replicas = 1, spread = false, secret, ...workload }: Workload): object {
  const labels = { app: name };
  const apart = { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart] } };
  const main = {
    ...container('main', workload.args ?? ['serve'], workload.image),
    readinessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1 },
    resources: { limits: { memory: workload.memory ?? '128Mi' } },
    volumeMounts: secret === undefined ? [] : [{ name: 'tls', mountPath: '/tls' }],
  };
  const spec = {
    securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [main],
    volumes: secret === undefined ? [] : [{ name: 'tls', secret: { secretName: secret } }],
    ...(spread ? { affinity } : {}),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

function container(name: string, args: readonly string[], image = POD_IMAGE): object {
  return { name, image, args, securityContext: SAFE };
}

function service({ namespace, name, port }: { namespace: string; name: string; port: number }): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name },
    spec: { selector: { app: name }, ports: [{ port: port === 8443 ? 443 : 80, targetPort: port }] },
  };
}

async function namespace(cluster: TestCluster, name: string): Promise<void> {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
}

async function serveWebhook(cluster: TestCluster): Promise<void> {
  const authority = await createAuthority('webhook');
  const pair = await authority.issue({ commonName: 'hook', dnsNames: ['hook.restricted.svc'] });
  await apply(cluster, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'restricted', name: 'hook-tls' },
    stringData: { 'tls.crt': pair.publicPem, 'tls.key': pair.privatePem },
  });
  await apply(cluster, deployment({ namespace: 'restricted', name: 'hook', secret: 'hook-tls' }));
  await apply(cluster, service({ namespace: 'restricted', name: 'hook', port: 8443 }));
  await available(cluster, 'restricted', 'hook');
  const caBundle = Buffer.from(authority.certificatePem).toString('base64');
  await apply(cluster, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'hook' },
    webhooks: [
      {
        name: 'hook.test.slipway.dev',
        clientConfig: { service: { namespace: 'restricted', name: 'hook', path: '/deny' }, caBundle },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'restricted' } },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
      },
    ],
  });
}

async function apply(cluster: TestCluster, object: object): Promise<void> {
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(object));
}

async function available(cluster: TestCluster, inNamespace: string, name: string): Promise<void> {
  await cluster.kubectl(['rollout', 'status', `deployment/${name}`, '-n', inNamespace, '--timeout=180s']);
}

function podAddress(cluster: TestCluster, inNamespace: string, app: string): Promise<string> {
  const path = 'jsonpath={.items[0].status.podIP}';
  return cluster.kubectl(['get', 'pods', '-n', inNamespace, '-l', `app=${app}`, '-o', path]);
}

function podField(cluster: TestCluster, app: string, path: string): Promise<string> {
  const field = `jsonpath={.items[*].status.containerStatuses[0].${path}}`;
  return cluster.kubectl(['get', 'pods', '-n', 'restricted', '-l', `app=${app}`, '-o', field]);
}

/** None if the folder itself is gone. */
function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return entries.map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

type Traced = Pick<TestCluster, 'folder' | 'server'>;

/** What a cluster has on this machine outside its folder: names of links and paths of control groups, of each at least one. */
function tracesOf({ folder, server }: Traced): readonly string[] {
  const address = new URL(server).hostname.replace(/\d+$/, '254');
  const links = Object.entries(networkInterfaces()).filter(([, of = []]) => of.some((one) => one.address === address));
  const top = foldersIn('/sys/fs/cgroup');
  const groups = [...top, ...top.flatMap(foldersIn)].filter((path) => basename(path) === clusterCgroup(folder));
  expect([links.length, groups.length]).not.toContain(0);
  return [...links.map(([name]) => name), ...groups];
}

function isLeft(trace: string): boolean {
  return trace in networkInterfaces() || existsSync(trace);
}
