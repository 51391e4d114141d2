/** The command line `slipway`; as `kubectl-slipway` on the PATH also a plugin of kubectl. */
import { enableCompileCache } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { basename } from 'node:path';

/** Without await at the top level, which a script in a single executable cannot have. */
async function start(): Promise<void> {
  enableCompileCache(); // halves the time to start; what follows is imported behind it, so that it counts
  const { describeFailure, run } = await import('./run.ts');
  const interrupt = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupt.abort(new Error(name)));
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return interrupt.abort(error); // the reader has read enough, as `head` has
    process.stderr.write(describeFailure(error));
    process.exit(1);
  });
  process.exitCode = await run(process.argv.slice(2), {
    variables: process.env,
    folder: startFolder(process.env),
    home: homedir(),
    temporary: tmpdir(),
    print: (text) => void process.stdout.write(text),
    complain: (text) => void process.stderr.write(text),
    readInput: async () => (await import('node:stream/consumers')).buffer(process.stdin),
    programName: nameOf(process.argv[1] ?? ''),
    ...(process.stdout.isTTY && { columns: process.stdout.columns }),
    ...(process.stderr.isTTY && { progress: (text: string) => void process.stderr.write(text) }),
    signal: interrupt.signal,
  });
}

/** kubectl starts the program `kubectl-slipway` for `kubectl slipway`. */
function nameOf(path: string): string {
  return /^kubectl-slipway(?:\.|$)/.test(basename(path)) ? 'kubectl slipway' : 'slipway';
}

/** `npm run slipway` starts it in the root of the checkout, wherever one is. */
function startFolder({ npm_lifecycle_event, INIT_CWD }: NodeJS.ProcessEnv): string {
  return npm_lifecycle_event === 'slipway' && INIT_CWD !== undefined ? INIT_CWD : process.cwd();
}

void start();
