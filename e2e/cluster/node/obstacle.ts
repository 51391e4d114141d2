/** Reports in one line why this machine cannot run a real node, if it cannot. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram } from '../binaries.ts';

/** Command → the Debian package that has it. */
const COMMANDS: Readonly<Record<string, string>> = {
  unshare: 'util-linux',
  nsenter: 'util-linux',
  mount: 'mount',
  ip: 'iproute2',
  nft: 'nftables',
  bash: 'bash',
};

/** Undefined if a real node can run; found out once. The sentence names the missing requirement and how to get it. */
export function realNodeObstacle(): string | undefined {
  known ??= { obstacle: findObstacle() };
  return known.obstacle;
}

let known: { readonly obstacle: string | undefined } | undefined;

function findObstacle(): string | undefined {
  const reason = notWanted() ?? notRoot() ?? missingCommand() ?? noNamespaces() ?? noOverlay() ?? cannotBuild();
  return reason === undefined ? undefined : `No real node on this machine: ${reason}`;
}

/** Lets developers run the stories without a real node on a machine that can have one. */
function notWanted(): string | undefined {
  return process.env['SLIPWAY_REAL_NODE'] === 'no' ? 'SLIPWAY_REAL_NODE=no says so' : undefined;
}

function notRoot(): string | undefined {
  return process.getuid?.() === 0 ? undefined : 'it takes root';
}

function missingCommand(): string | undefined {
  const missing = Object.keys(COMMANDS).find((command) => !succeeds('sh', ['-c', `command -v ${command}`]));
  return missing === undefined ? undefined : `${missing} is missing (apt-get install ${COMMANDS[missing]})`;
}

function noNamespaces(): string | undefined {
  const allowed = succeeds('unshare', ['--mount', '--pid', '--net', '--uts', '--ipc', '--fork', 'true']);
  return allowed ? undefined : 'it may not make namespaces';
}

/** Images are unpacked beside the cluster's folder. */
function noOverlay(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'overlay-'));
  const [lower, upper, work, merged] = ['lower', 'upper', 'work', 'merged'].map((name) => join(folder, name));
  for (const part of [lower, upper, work, merged]) mkdirSync(part!);
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
  const mounted = succeeds('unshare', ['--mount', 'mount', '-t', 'overlay', 'overlay', '-o', options, merged!]);
  rmSync(folder, { recursive: true, force: true });
  return mounted ? undefined : `overlay file systems cannot be used in ${tmpdir()}`;
}

function cannotBuild(): string | undefined {
  if (hasProgram('runc')) return undefined;
  const able = succeeds('gcc', ['--version']) && succeeds('pkg-config', ['--exists', 'libseccomp']);
  return able ? undefined : 'runc cannot be built (apt-get install gcc pkg-config libseccomp-dev)';
}

function succeeds(command: string, args: readonly string[]): boolean {
  const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` };
  return spawnSync(command, args, { stdio: 'ignore', env }).status === 0;
}
