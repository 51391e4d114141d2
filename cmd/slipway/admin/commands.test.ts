import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../kube/testing/eventually.ts';
import { examplesOf } from '../flags.ts';
import { buildProgram } from '../program.ts';
import { kubeconfigText } from '../../../kube/testing/kubeconfig-text.ts';
import { useWorkplace } from '../testing/slipway.ts';
import { useFakeCluster } from './testing/fake-cluster.ts';
import { condition, subscription, untyped } from '../../../report/testing/objects.ts';
import { situationOf } from '../../../report/situation.ts';

const cluster = useFakeCluster();
const workplace = useWorkplace();
const silent = { print: () => {}, complain: () => {} };
const commands = buildProgram(async () => {}, silent).commands;
const named = (name: string): Command | undefined => commands.find((command) => command.name() === name);

/** Commands that read one Subscription, and commands that change it. */
const VIEWS = ['status', 'tree', 'history', 'events'];
const ACTS = ['suspend', 'resume', 'reconcile', 'approve', 'upgrade', 'rollback', 'uninstall'];

describe('every command for administrators', () => {
  test.each(['get', 'outdated', 'wait', 'install', 'doctor', 'logs', 'list', 'search', ...VIEWS, ...ACTS])(
    'has an example in its help: %s',
    (name) => {
      const examples = examplesOf(named(name)!);
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) expect(`${example} `).toMatch(new RegExp(`^slipway ${name} `));
    },
  );

  test.each(['get', 'outdated', 'wait', 'install', 'doctor', 'logs', 'list', 'search', ...VIEWS, ...ACTS])(
    'has only options in its examples that it has: %s',
    (name) => {
      const command = named(name)!;
      for (const flag of examplesOf(command).flatMap((line) => line.match(/(?<= )--?[a-z][\w-]*/gi) ?? []))
        expect(
          command.options.some(({ long, short }) => long === flag || short === flag),
          flag,
        ).toBe(true);
    },
  );
});

test('the next steps that a status names are commands', () => {
  const states = [
    subscription(),
    subscription({ spec: { suspend: true }, status: { conditions: [condition('Ready', 'True', 'Suspended', 'x')] } }),
    subscription({ metadata: { deletionTimestamp: 'x' } }),
    subscription({
      status: { conditions: [condition('Ready', 'False', 'X', 'x'), condition('Stalled', 'True', 'X', 'x')] },
    }),
    subscription({ status: { conditions: [condition('Ready', 'False', 'X', 'x'), condition('Reconciling', 'True', 'X', 'x')] } }), // prettier-ignore
  ];
  const steps = states.flatMap((one) => situationOf(one, []).next.map(({ command }) => command.split(' ')[1] ?? ''));
  expect(steps.length).toBeGreaterThan(4);
  expect(steps.filter((name) => named(name) === undefined)).toEqual([]);
});

describe('get', () => {
  test.each([
    { because: 'Subscriptions of the namespace by default', args: ['get'], names: ['gadget'] },
    { because: 'of all namespaces', args: ['get', '-A'], names: ['home', 'ops'] },
    { because: 'of another namespace', args: ['get', 'subscription', '-n', 'home'], names: ['lamp'] },
    { because: 'by label', args: ['get', '-A', '-l', 'room=hall'], names: ['home'] },
    { because: 'by name', args: ['get', 'revisions', 'gadget-2'], names: ['gadget-2'] },
    { because: 'the kind with its group', args: ['get', 'catalogs.slipway.dev'], names: ['team'] },
  ])('prints a table: $because', async ({ args, names }) => {
    const { code, stdout, stderr } = await cluster().run(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [header, ...rows] = stdout.trimEnd().split('\n');
    expect(header).toMatch(/^NAME/);
    expect(rows.map((row) => row.split(' ')[0])).toEqual(names);
  });

  test('prints one table for each kind with "all", an empty line between', async () => {
    const { stdout } = await cluster().run('get', 'all');
    expect(stdout.split('\n\n')).toHaveLength(3);
  });

  test('prints the objects as they are, an unknown field included', async () => {
    const { api, run } = cluster();
    const object = {
      apiVersion: 'slipway.dev/v1alpha1',
      kind: 'Catalog',
      metadata: { name: 'odd' },
      later: { field: 1 },
    };
    api.put(object);
    expect(JSON.parse((await run('get', 'catalogs', 'odd', '-o', 'json')).stdout)).toMatchObject(object);
    expect((await run('get', 'catalogs', 'odd', '-o', 'yaml')).stdout).toContain('later:\n  field: 1\n');
    expect((await run('get', 'catalogs', '-o', 'name')).stdout).toBe(
      'catalog.slipway.dev/odd\ncatalog.slipway.dev/team\n',
    );
    const list = JSON.parse((await run('get', 'catalogs', '-o', 'json')).stdout) as { kind: string; items: object[] };
    expect([list.kind, list.items.length]).toEqual(['List', 2]);
    api.remove(object);
  });

  test.each([40, 80, 160])('fits its rows into a terminal of %d columns', async (columns) => {
    const { stdout } = await cluster().runWith({ columns }, 'get', 'subscriptions');
    const widest = Math.max(...stdout.split('\n').map((line) => line.length));
    expect(widest).toBeLessThanOrEqual(Math.max(columns, LEAST_TABLE));
  });

  test('--watch prints the header once and a row for each change, and ends with the signal', async () => {
    const { api, runWith } = cluster();
    const interrupt = new AbortController();
    const running = runWith({ signal: interrupt.signal }, 'get', 'catalogs', '--watch');
    await eventually(() => api.watches === 1);
    api.put({
      apiVersion: 'slipway.dev/v1alpha1',
      kind: 'Catalog',
      metadata: { name: 'further' },
      spec: { priority: 7 },
    });
    api.endWatches('end');
    api.remove({ apiVersion: 'slipway.dev/v1alpha1', kind: 'Catalog', metadata: { name: 'further' } });
    await eventually(() => api.watches === 1);
    await eventually(() => api.requests.filter(({ query }) => query.get('watch') === 'true').length >= 2);
    interrupt.abort(new Error('SIGINT'));
    const { code, stdout } = await running;
    expect(code).toBe(130);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    expect(rows.filter((name) => name === 'NAME')).toHaveLength(1);
    expect(rows.slice(0, 3)).toEqual(['NAME', 'team', 'further']);
  });
});

/** Columns of eight characters each are never made narrower. */
const LEAST_TABLE = 80;

describe('a view of a Subscription', () => {
  test.each(VIEWS)('%s takes NAME and NAMESPACE/NAME, and prints JSON and YAML', async (name) => {
    const { run } = cluster();
    const plain = await run(name, 'gadget');
    expect(plain).toMatchObject({ code: 0, stderr: '' });
    expect(plain.stdout).not.toBe('');
    // As data, which have no ages: those change from one run to the next.
    const [short, full] = [await run(name, 'gadget', '-o', 'json'), await run(name, 'ops/gadget', '-o', 'json', '-n', 'home')]; // prettier-ignore
    expect(JSON.parse(short.stdout)).toBeTypeOf('object');
    expect(full.stdout).toBe(short.stdout);
    expect((await run(name, 'gadget', '-o', 'yaml')).stdout).toMatch(/^---\n/);
  });
});

describe('a failure is one line with its reason, one with the remedy, and exit code 1', () => {
  test.each([...VIEWS, ...ACTS, 'wait'])('%s of a name that does not exist suggests a similar one', async (name) => {
    const { code, stdout, stderr } = await cluster().run(name, 'gadgte');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      'slipway: InputInvalid: namespace "ops" has no Subscription "gadgte"\n  Did you mean gadget?\n',
    );
  });

  test('a name of another namespace is found there', async () => {
    const { stderr } = await cluster().run('status', 'lamp');
    expect(stderr).toContain('Did you mean home/lamp?');
  });

  test.each([
    { because: 'a kind that is not', args: ['get', 'subscritpions'], says: 'Did you mean subscriptions?' },
    { because: 'a name that is not', args: ['get', 'catalogs', 'taem'], says: 'Did you mean team?' },
    { because: 'three parts', args: ['status', 'a/b/c'], says: 'Write NAME or NAMESPACE/NAME' },
    { because: 'two kinds cannot be followed', args: ['get', 'all', '--watch'], says: 'Name subscriptions' },
    { because: 'a name in all namespaces', args: ['events', 'gadget', '-A'], says: 'Leave the name or -A out' },
    { because: 'a Catalog that is not', args: ['reconcile', 'catalog/taem'], says: 'Did you mean team?' },
    { because: 'a version of a Subscription that goes', args: ['wait', 'gadget', '--for', 'deleted', '--version', '1'], says: 'Leave --version out' }, // prettier-ignore
  ])('$because', async ({ args, says }) => {
    const { code, stdout, stderr } = await cluster().run(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('slipway: InputInvalid: ');
    expect(stderr).toContain(says);
  });

  test.each(['get', 'outdated', 'status', 'suspend'])('%s without Slipway in the cluster', async (name) => {
    const { api, run } = cluster();
    const lift = api.fault(({ path }, response) => {
      if (!path.includes('slipway.dev')) return false;
      response.writeHead(404).end('404 page not found\n');
      return true;
    });
    const { code, stderr } = await run(name, ...(name === 'status' || name === 'suspend' ? ['gadget'] : []));
    lift();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^slipway: InputInvalid: Slipway is not installed in this cluster: .*\n {2}Install Slipway/);
  });

  test.each([['get'], ['tree', 'gadget'], ['approve', 'gadget']])('%s without the right names it', async (...args) => {
    const { api, run } = cluster();
    const lift = api.fault((_, response) => {
      const message = 'subscriptions.slipway.dev is forbidden: User "eve" cannot list resource';
      response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify({ kind: 'Status', code: 403, message })); // prettier-ignore
      return true;
    });
    const { code, stderr } = await run(...args);
    lift();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^slipway: Forbidden: .*User "eve" cannot list/);
  });

  test.each([
    { because: 'no kubeconfig', args: [], says: /^slipway: InputInvalid: there is no kubeconfig\n {2}Name a file/ },
    {
      because: 'a file that is not',
      args: ['--kubeconfig', 'missing'],
      says: /^slipway: KubeconfigInvalid: .*missing/,
    },
    { because: 'a context that is not', args: ['--kubeconfig', 'closed', '--context', 'three'], says: /^slipway: KubeconfigInvalid: .*three/ }, // prettier-ignore
    { because: 'no API server', args: ['--kubeconfig', 'closed'], says: /^slipway: ApiUnavailable: .*\n {2}the connection to 127\.0\.0\.1:1 is refused/ }, // prettier-ignore
  ])('$because', async ({ args, says }) => {
    workplace().write(new Map([['closed', kubeconfigText({ token: 't' }, { server: 'https://127.0.0.1:1' })]]));
    const { code, stdout, stderr } = await workplace().run('get', ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(says);
  });
});

describe('a dry run prints the documents that are sent otherwise, and sends none', () => {
  const cases: readonly (readonly string[])[] = [
    ['suspend', 'gadget'],
    ['resume', 'gadget'],
    ['approve', 'gadget'],
    ['upgrade', 'gadget', '--version', '3.0.0'],
    ['upgrade', 'gadget', '--unpin'],
    ['install', 'torch', '--version', '1.0.0'],
    ['uninstall', 'gadget', '--custom-resources', 'Block'],
  ];

  test.each(cases.map((args) => ({ title: args.join(' '), args })))('$title', async ({ args }) => {
    const { api, run } = cluster();
    const writes = () => api.requests.filter(({ method }) => method !== 'GET');
    const before = writes().length;
    const dry = await run(...args, '--dry-run=client', '-o', 'json');
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(writes().length).toBe(before);
    const printed = JSON.parse(dry.stdout) as { readonly items?: readonly object[] };
    expect(await run(...args)).toMatchObject({ code: 0, stderr: '' });
    const sent = writes()
      .slice(before)
      .map(({ body }) => JSON.parse(body) as object);
    expect(sent.length).toBeGreaterThan(0);
    expect(printed.items ?? [printed]).toEqual(sent);
  });

  test('says in words that nothing was sent', async () => {
    const { stdout } = await cluster().run('install', 'torch', '--name', 'other', '--dry-run=client');
    expect(stdout).toBe(
      'Subscription ops/other is created for package torch. To wait for the end of the installation: slipway wait ops/other (dry run: nothing is sent)\n',
    );
  });

  test('an installation of a name that is taken names the command that changes it', async () => {
    const { code, stderr } = await cluster().run('install', 'lamp', '-n', 'home');
    expect(code).toBe(1);
    expect(stderr).toContain(
      'slipway: InputInvalid: Subscription home/lamp exists already\n  Change it by `slipway upgrade home/lamp`',
    );
  });
});

describe('wait', () => {
  const put = (status: object, metadata: object = {}): void => {
    const lamp = subscription({ metadata: { name: 'lamp', namespace: 'home', ...metadata } });
    cluster().api.put({ ...untyped(lamp), status: { observedGeneration: 1, ...status } });
  };
  const WORKING = [condition('Ready', 'False', 'Installing', 'it is being applied'), condition('Reconciling', 'True', 'X', 'x')]; // prettier-ignore

  test('ends when the outcome is known, and shows progress on a terminal', async () => {
    const { api, runWith } = cluster();
    put({ conditions: WORKING });
    const progress: string[] = [];
    const running = runWith({ progress: (text) => void progress.push(text) }, 'wait', 'home/lamp');
    await eventually(() => api.watches === 1);
    put({ conditions: [condition('Ready', 'True', 'Succeeded', 'lamp.v1 is installed')] });
    expect(await running).toEqual({ code: 0, stdout: 'lamp.v1 is installed\n', stderr: '' });
    expect(progress).toEqual(['it is being applied\n']);
  });

  test('ends with 2 if it has failed', async () => {
    put({ conditions: [condition('Ready', 'False', 'X', 'no quota'), condition('Stalled', 'True', 'X', 'no quota')] });
    expect(await cluster().run('wait', 'home/lamp')).toEqual({ code: 2, stdout: 'no quota\n', stderr: '' });
  });

  test('ends with 3 if the time is up, and names the last message', async () => {
    put({ conditions: WORKING });
    const { code, stdout } = await cluster().run('wait', 'home/lamp', '--timeout', '3s');
    expect({ code, stdout }).toEqual({ code: 3, stdout: 'Not within 3s: it is being applied\n' });
  });

  test('for the end of a Subscription that is gone ends at once', async () => {
    expect(await cluster().run('wait', 'never', '--for', 'deleted')).toMatchObject({ code: 0 });
  });
});
