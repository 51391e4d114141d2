import { beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../api/object.ts';
import { useFakeCluster } from './testing/fake-cluster.ts';
import { revision, subscription, untyped } from '../../../report/testing/objects.ts';

const cluster = useFakeCluster();
/** The text of each container's log, by `pod/container`; without one the API server refuses it. */
let texts: ReadonlyMap<string, string>;
/** Queries of the requests for logs. */
const queries: string[] = [];

const deployment = (name: string, namespace: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace },
  spec: { selector: { matchLabels: { app: name } } },
});
const pod = (name: string, namespace: string, app: string, containers: readonly string[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: { app } },
  spec: { containers: containers.map((container) => ({ name: container })) },
});

beforeAll(() => {
  const { api } = cluster();
  const inventory = [
    { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ops', name: 'horn', uid: 'x', hash: 'h' },
  ];
  api.put(untyped(subscription({ metadata: { name: 'horn' } })));
  api.put(untyped(revision(7, '1.0.0', { spec: { subscription: 'horn' }, status: { inventory } })));
  for (const object of [
    deployment('horn', 'ops'),
    pod('horn-1', 'ops', 'horn', ['operator', 'proxy']),
    pod('other-1', 'ops', 'other', ['operator']),
    deployment('slipway-manager', 'slipway-system'),
    pod('manager-1', 'slipway-system', 'slipway-manager', ['manager']),
  ])
    api.put(object);
  api.fault(({ path, query }, response) => {
    const [, name] = /\/pods\/([^/]+)\/log$/.exec(path) ?? [];
    if (name === undefined) return false;
    queries.push(query.toString());
    const text = texts.get(`${name}/${query.get('container')}`);
    if (text === undefined) response.writeHead(400).end('container is waiting to start');
    else response.writeHead(200).end(text);
    return true;
  });
});

const waiting = (name: string) => ({ name, state: { waiting: { reason: 'PodInitializing' } }, restartCount: 0 });

describe('logs of init containers', () => {
  /** Runs with a Pod of which the init container `migrate` and the container `operator` have these states. */
  async function logsOf(...states: readonly { readonly name: string }[]) {
    const { api, run } = cluster();
    const [init, main] = ['migrate', 'operator'].map((name) => states.filter((one) => one.name === name));
    const horn = pod('horn-1', 'ops', 'horn', ['operator']);
    api.put({
      ...horn,
      spec: { initContainers: [{ name: 'migrate' }], containers: [{ name: 'operator' }] },
      status: { initContainerStatuses: init, containerStatuses: main },
    });
    texts = new Map([['horn-1/migrate', 'the database does not answer\n']]);
    const ended = await run('logs', 'horn');
    api.put(pod('horn-1', 'ops', 'horn', ['operator', 'proxy']));
    return ended;
  }

  test('are printed, and those of a container behind them are not asked for', async () => {
    const crashed = {
      name: 'migrate',
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: {} },
    };
    expect(await logsOf(crashed, waiting('operator'))).toEqual({
      code: 0,
      stdout: 'horn-1/migrate the database does not answer\n',
      stderr: '',
    });
  });

  test('that have not begun are not asked for: the tree shows the cause', async () => {
    const { code, stdout, stderr } = await logsOf(waiting('migrate'), waiting('operator'));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/no container has begun.*\n {2}See `slipway tree horn`/);
  });

  test('are printed beside those of a container that was restarted, and that of one that cannot start is named', async () => {
    const stuck = { name: 'operator', state: { waiting: { reason: 'ImagePullBackOff' } } };
    const { code, stderr } = await logsOf({ name: 'migrate' }, stuck);
    expect(code).toBe(0);
    expect(stderr).toContain('the log of container operator of Pod ops/horn-1 cannot be read');
  });
});

describe('logs as data', () => {
  const LINE = { namespace: 'ops', pod: 'horn-1', container: 'proxy', line: '  th\u001bree' };

  test.each([
    { because: 'JSON has one document for each line', output: 'json', text: (stdout: string) => JSON.parse(stdout) as unknown, says: LINE }, // prettier-ignore
    { because: 'a template is applied to each line', output: 'jsonpath={.pod}: {.line}', text: (stdout: string) => stdout, says: 'horn-1:   three' }, // prettier-ignore
  ])('have nothing but lines: $because', async ({ output, text, says }) => {
    texts = new Map([['horn-1/proxy', `${LINE.line}\n`]]);
    const { code, stdout } = await cluster().run('logs', 'horn', '-o', output);
    expect(code).toBe(0);
    expect(text(stdout)).toEqual(says);
  });
});

describe('logs', () => {
  test("are those of the Subscription's Pods, each line with its origin", async () => {
    queries.length = 0;
    texts = new Map([
      ['horn-1/operator', 'one\n\u001b[2Jtwo'],
      ['horn-1/proxy', 'three\n'],
    ]);
    const { code, stdout, stderr } = await cluster().run('logs', 'horn', '--tail', '7', '--previous');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n').sort()).toEqual(['horn-1/operator [2Jtwo', 'horn-1/operator one', 'horn-1/proxy three']); // prettier-ignore
    expect(queries.every((query) => query.includes('tailLines=7') && query.includes('previous=true'))).toBe(true);
  });

  test('of the manager are read by its Deployment', async () => {
    texts = new Map([['manager-1/manager', 'leads\n']]);
    expect(await cluster().run('logs', '--manager')).toEqual({
      code: 0,
      stdout: 'manager-1/manager leads\n',
      stderr: '',
    });
  });

  test('that cannot be read are named, and the others are printed', async () => {
    texts = new Map([['horn-1/proxy', 'three\n']]);
    const { code, stdout, stderr } = await cluster().run('logs', 'horn');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'horn-1/proxy three\n' });
    expect(stderr).toContain('the log of container operator of Pod ops/horn-1 cannot be read: ');
    texts = new Map();
    expect((await cluster().run('logs', 'horn')).code).toBe(1);
  });

  test.each([
    { because: 'neither a name nor the manager', args: ['logs'], says: 'Name a Subscription, or --manager' },
    {
      because: 'a name and the manager',
      args: ['logs', 'horn', '--manager'],
      says: 'Name a Subscription, or --manager',
    },
    { because: 'no number', args: ['logs', 'horn', '--tail', 'x'], says: 'Write --tail 100' },
    { because: 'an operator without Pods', args: ['logs', 'gadget'], says: 'slipway tree gadget' },
    { because: 'a namespace that is not that of the manager', args: ['logs', '--manager', '-n', 'ops'], says: '--system-namespace' }, // prettier-ignore
    { because: 'no manager in the namespace', args: ['logs', '--manager', '--system-namespace', 'ops'], says: '--system-namespace' }, // prettier-ignore
  ])('are refused for $because', async ({ args, says }) => {
    const { code, stdout, stderr } = await cluster().run(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(says);
  });
});
