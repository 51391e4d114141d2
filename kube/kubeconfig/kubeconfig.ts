/**
 * Reads kubeconfig files into a connection, for the command line and for a manager that runs outside of the cluster.
 * Input: the files that KUBECONFIG or a flag names; output: a ConnectionConfig, whose credentials are renewed while it
 * is in use. A Pod does not need it: config.ts reads its ServiceAccount. Libraries that run credential plugins
 * (exec.ts) or contact an issuer (oidc.ts) are loaded at the first request, if the context's user needs them.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ConnectionConfig } from '../transport/config.ts';
import { chooseContext, type KubeconfigFile } from './choose.ts';
import { connectionTo } from './connection.ts';
import { invalidKubeconfig } from './invalid.ts';

export interface Kubeconfig {
  readonly config: ConnectionConfig;
  /** The context's namespace; `default` if it names none. */
  readonly namespace: string;
}

export interface KubeconfigOptions {
  /** Overrides `current-context`. */
  readonly context?: string | undefined;
}

/**
 * Reads one file, which must exist, or merges several as kubectl does; some of several may be missing.
 * @throws ReasonedError KubeconfigInvalid, never: names the file, the context or the entry, and the next step
 */
export async function loadKubeconfig(
  paths: string | readonly string[],
  { context }: KubeconfigOptions = {},
): Promise<Kubeconfig> {
  const files = typeof paths === 'string' || paths.length === 1 ? [await readOne(String(paths))] : await readAll(paths);
  const chosen = chooseContext(files, context);
  return { config: connectionTo(chosen), namespace: chosen.namespace };
}

async function readOne(path: string): Promise<KubeconfigFile> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  return { path: resolve(path), text };
}

async function readAll(paths: readonly string[]): Promise<readonly KubeconfigFile[]> {
  const found = await Promise.all(paths.map(readIfThere));
  const files = found.filter((file) => file !== undefined);
  if (files.length > 0) return files;
  throw invalidKubeconfig(`no kubeconfig exists: ${paths.join(', ')}`, 'Name a kubeconfig file that exists');
}

async function readIfThere(path: string): Promise<KubeconfigFile | undefined> {
  try {
    return { path: resolve(path), text: await readFile(path, 'utf8') };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): Error {
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  return invalidKubeconfig(`cannot read kubeconfig ${path} (${code})`, 'Name a kubeconfig file that exists', cause);
}
