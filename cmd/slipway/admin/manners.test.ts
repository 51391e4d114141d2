/** Every command that reads a cluster: widths of terminals, colours, templates, closed pipes, signals. */
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../kube/testing/eventually.ts';
import { visibleLength } from '../output/layout.ts';
import { useFakeCluster } from './testing/fake-cluster.ts';
import { serverOf } from '../../../report/versions.ts';

const cluster = useFakeCluster();

const SCREENS: readonly (readonly string[])[] = [
  ['get'],
  ['get', '-A'],
  ['get', 'all', '-A', '-o', 'wide'],
  ['get', 'revisions'],
  ['outdated', '-A'],
  ['history', 'gadget'],
  ['status', 'gadget'],
  ['tree', 'gadget'],
  ['events', 'gadget'],
  ['uninstall', 'gadget', '--preview'],
  ['doctor'],
  ['version', '--client'],
  ['--help'],
  ['get', '--help'],
  ['wait', '--help'],
];

describe.each([40, 80, 160])('on a terminal of %d columns', (columns) => {
  test.each(SCREENS.map((args) => ({ title: args.join(' '), args })))(
    'no line is too long: $title',
    async ({ args }) => {
      const isLocal = args.includes('--help');
      const { runWith, aloneWith } = cluster();
      const { stdout } = await (isLocal ? aloneWith : runWith)({ columns }, ...args);
      const lines = stdout.split('\n');
      expect(lines.length).toBeGreaterThan(1);
      const long = lines.filter((line) => visibleLength(line) > columns && !isUnbreakable(line));
      expect(long).toEqual([]);
    },
  );
});

/** A word that is longer than the terminal, such as an image with its digest; and commands, which are copied. */
function isUnbreakable(line: string): boolean {
  return line.trim().split(/\s+/).length <= 2 || /^(?:Usage: | {2})slipway /.test(line);
}

describe('a template prints single fields of the JSON', () => {
  test.each([
    { args: ['get', 'catalogs', 'team'], template: '{.metadata.name}', text: 'team' },
    { args: ['get', '-A'], template: '{range .items[*]}{.metadata.name}{"\\n"}{end}', text: 'lamp\ngadget\n' },
    { args: ['status', 'gadget'], template: '{.installed.version} {.state}', text: '1.0.0 Waiting' },
    { args: ['history', 'gadget'], template: '{.revisions[*].version}', text: '1.0.0 2.0.0' },
    { args: ['uninstall', 'gadget', '--preview'], template: '{.state}', text: 'Ready' },
    { args: ['suspend', 'gadget', '--dry-run=client'], template: '{.spec.suspend}', text: 'true' },
    { args: ['version', '--client'], template: '{.client.version}', text: '0.1.0' },
  ])('$args $template', async ({ args, template, text }) => {
    const { stdout, stderr } = await cluster().run(...args, '-o', `jsonpath=${template}`);
    expect({ stdout, stderr }).toEqual({ stdout: text, stderr: '' });
  });

  test('and nothing that a terminal acts on', async () => {
    const { api, run } = cluster();
    const odd = {
      apiVersion: 'slipway.dev/v1alpha1',
      kind: 'Catalog',
      metadata: { name: 'odd' },
      spec: { text: 'a\u001b[2J\u202eb\n' },
    };
    api.put(odd);
    expect((await run('get', 'catalogs', 'odd', '-o', 'jsonpath={.spec.text}')).stdout).toBe('a[2Jb\n');
    api.remove(odd);
  });

  test.each(['xml', 'jsonpath', 'jsonpath:{.a}'])('another format is refused: %s', async (format) => {
    const { code, stderr } = await cluster().run('get', '-o', format);
    expect(code).toBe(1);
    expect(stderr).toContain('Allowed choices are table, wide, json, yaml, name, jsonpath=TEMPLATE.');
  });

  test('one that cannot be parsed is refused', async () => {
    const { code, stdout, stderr } = await cluster().run('get', '-o', 'jsonpath={.a');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^slipway: InputInvalid: .*\n {2}A template has text/);
  });
});

describe('a watch', () => {
  async function watched(options: { readonly columns?: number }, ...args: readonly string[]): Promise<string> {
    const { runWith } = cluster();
    const interrupt = new AbortController();
    let isPrinted = false;
    const printed = (): void => void (isPrinted = true);
    const running = runWith({ ...options, printed, signal: interrupt.signal }, ...args, '--watch');
    await eventually(() => isPrinted);
    interrupt.abort(new Error('SIGINT'));
    return (await running).stdout;
  }

  test.each(['status', 'get', 'tree', 'history'])('prints data if that is asked for: %s', async (name) => {
    const args = name === 'get' ? ['get', 'subscriptions'] : [name, 'gadget'];
    expect(JSON.parse(await watched({}, ...args, '-o', 'json'))).toBeTypeOf('object');
    expect(await watched({}, ...args, '-o', 'yaml')).toMatch(/^---\n/);
  });

  test('of a table prints rows one below the other on a narrow terminal', async () => {
    const stdout = await watched({ columns: 40 }, 'get', 'revisions');
    expect(stdout.match(/^NAME: +gadget-\d$/gm)).toEqual(
      ['NAME:    gadget-1', 'NAME:    gadget-2'].map(() => expect.any(String) as string),
    );
  });
});

describe('a run', () => {
  const reading = SCREENS.filter((args) => !args.includes('--help'));

  test.each(reading.map((args) => ({ title: args.join(' '), args })))(
    'has no escape sequences in a pipe or with NO_COLOR: $title',
    async ({ args }) => {
      const { runWith } = cluster();
      const piped = await runWith({}, ...args);
      const plain = await runWith({ columns: 120, variables: { NO_COLOR: '1' } }, ...args);
      for (const { stdout, stderr } of [piped, plain]) expect(`${stdout}${stderr}`).not.toMatch(/[^\P{Cc}\n]/u);
    },
  );

  test.each(
    [
      {
        because: 'the reader of its output is gone',
        reason: Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }),
        code: 0,
        stderr: '',
      },
      { because: 'Ctrl-C', reason: new Error('SIGINT'), code: 130, stderr: 'slipway: interrupted\n' },
      { because: 'it is terminated', reason: new Error('SIGTERM'), code: 143, stderr: 'slipway: terminated\n' },
    ].flatMap((ending) =>
      reading.filter((args) => !args.includes('--client')).map((args) => ({ ...ending, title: args.join(' '), args })),
    ),
  )('ends at once with $code if $because: $title', async ({ args, reason, code, stderr }) => {
    expect(await cluster().runWith({ signal: AbortSignal.abort(reason) }, ...args)).toEqual({
      code,
      stdout: '',
      stderr,
    });
  });
});

describe('version', () => {
  const DEPLOYMENT = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'slipway-manager', namespace: 'slipway-system' },
    spec: {
      replicas: 2,
      template: { spec: { containers: [{ image: 'registry.example:5000/manager:0.0.9@sha256:00' }] } },
    },
    status: { readyReplicas: 1 },
  };

  async function asked(...args: readonly string[]) {
    const { api, run } = cluster();
    const stop = api.fault(({ path }, response) => {
      const answer =
        path === '/version' ? { gitVersion: 'v1.36.3' } : path.endsWith('/slipway-manager') ? DEPLOYMENT : undefined;
      if (answer !== undefined)
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      return answer !== undefined;
    });
    const ended = await run('version', ...args);
    stop();
    return ended;
  }

  test('shows the program, the manager by the tag of its image, and Kubernetes', async () => {
    expect(await asked()).toEqual({
      code: 0,
      stdout:
        "Client:     0.1.0\nServer:     0.0.9 (1 of 2 replicas ready, registry.example:5000/manager:0.0.9@sha256:00)\nKubernetes: v1.36.3\nClient and server differ: use the command line of the manager's version\n",
      stderr: '',
    });
    expect(JSON.parse((await asked('-o', 'json')).stdout)).toMatchObject({
      client: { version: '0.1.0' },
      server: { version: '0.0.9', ready: 1, replicas: 2 },
      kubernetes: { version: 'v1.36.3' },
    });
  });

  test('without a cluster still shows the program, and names the missing kubeconfig', async () => {
    const { code, stdout, stderr } = await cluster().alone('version');
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'Client: 0.1.0\n' });
    expect(stderr).toContain('there is no kubeconfig');
    expect(await cluster().alone('version', '--client')).toEqual({ code: 0, stdout: 'Client: 0.1.0\n', stderr: '' });
  });

  test.each([
    { image: 'slipway.dev/manager:0.1.0', version: '0.1.0' },
    { image: 'localhost:5000/manager', version: 'localhost:5000/manager' },
    { image: `manager@sha256:${'0'.repeat(64)}`, version: `manager@sha256:${'0'.repeat(64)}` },
    { image: '', version: '' },
  ])('of an image $image is $version', ({ image, version }) => {
    const deployment = { ...DEPLOYMENT, spec: { template: { spec: { containers: image === '' ? [] : [{ image }] } } } };
    expect(serverOf(deployment).version).toBe(version);
  });
});
