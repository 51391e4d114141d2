/**
 * Credentials from an exec plugin, as EKS, GKE and AKS use them: a program that prints an ExecCredential. The official
 * client runs it, parses the result and caches it until `expirationTimestamp`; this file adds KUBERNETES_EXEC_INFO, a
 * time limit, one run for concurrent requests, and errors that name the program.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
// Imports this file only: the whole package takes half a second and 80 MB to load.
import { ExecAuth } from '@kubernetes/client-node/dist/exec_auth.js';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import type { RequestOptions } from 'node:https';
import { dirname, resolve } from 'node:path';
import { redact } from '../../api/errors.ts';
import type { Credentials, CredentialSource } from '../transport/config.ts';
import type { KubeconfigEntry } from './choose.ts';
import { execInfo } from './exec-info.ts';
import { commandLine, startWithin, type Cut } from './exec-run.ts';
import { invalidKubeconfig, noCredentials } from './invalid.ts';
import type { KubeconfigCluster, ExecPlugin, KubeconfigUser } from './schema.ts';

export interface ExecUser {
  readonly user: KubeconfigEntry<KubeconfigUser>;
  readonly exec: ExecPlugin;
  readonly cluster: KubeconfigEntry<KubeconfigCluster>;
  /** Time limit for one run of the program. */
  readonly patienceSeconds?: number;
}

const PATIENCE_SECONDS = 60;

/**
 * Runs the program when a request needs credentials, again once they have expired, and at once if `fresh` is set.
 * Throws ReasonedError(CredentialsUnavailable, backoff) if the program fails.
 * @throws ReasonedError KubeconfigInvalid, never, if the program insists on a terminal
 */
export function createExecCredentials(facts: ExecUser): CredentialSource {
  if (facts.exec.interactiveMode === 'Always') throw needsTerminal(facts);
  let plugin = createPlugin(facts);
  let running: { readonly fresh: boolean; readonly result: Promise<Credentials> } | undefined;
  return ({ fresh = false } = {}) => {
    if (running !== undefined && (running.fresh || !fresh)) return running.result;
    if (fresh) plugin = createPlugin(facts);
    const result = plugin().catch((error: unknown) => {
      // The official client keeps whatever was printed, even if it is no credential.
      plugin = createPlugin(facts);
      throw error;
    });
    const run = { fresh, result: result.finally(() => (running = running === run ? undefined : running)) };
    running = run;
    return run.result;
  };
}

/** One instance of the official client with its cache: runs the program if nothing is cached, or if it has expired. */
function createPlugin(facts: ExecUser): () => Promise<Credentials> {
  const auth = new ExecAuth();
  const patience = facts.patienceSeconds ?? PATIENCE_SECONDS;
  let last: Started | undefined;
  // The official client exposes the function that starts the program as a field, for its tests.
  Object.assign(auth, {
    execFn: (command: string, args: readonly string[], options: SpawnOptions) => {
      last = startWithin(patience, { command, args, options });
      return last.child;
    },
  });
  return async () => {
    const options: RequestOptions = { headers: {} };
    last = undefined;
    try {
      await auth.applyAuthentication({ name: facts.user.name, exec: inFull(facts) }, options);
    } catch (cause) {
      throw failure(facts, describeEnd(last, cause as Error), cause);
    }
    return credentialsIn(options) ?? fail(facts);
  };
}

interface Started {
  readonly child: ChildProcess;
  readonly cut: () => Cut | undefined;
}

/**
 * The plugin's settings with the parts that the official client lacks: the path of a relative command, and
 * KUBERNETES_EXEC_INFO.
 */
function inFull({ user, exec, cluster }: ExecUser): object {
  const { command, args, env } = exec;
  const isRelative = /[\\/]/.test(command);
  return {
    command: isRelative ? resolve(dirname(user.path), command) : command,
    args: args ?? [],
    env: [...(env ?? []), { name: 'KUBERNETES_EXEC_INFO', value: execInfo(exec, cluster) }],
  };
}

function credentialsIn({ headers, cert, key }: RequestOptions): Credentials | undefined {
  const { Authorization: header } = headers as Readonly<Record<string, string | undefined>>;
  if (header === undefined && cert === undefined) return undefined;
  return {
    ...(header !== undefined && { token: header.replace(/^Bearer /, '') }),
    ...(typeof cert === 'string' && { clientCert: cert, clientKey: typeof key === 'string' ? key : '' }),
  };
}

function fail(facts: ExecUser): never {
  throw failure(facts, 'printed an ExecCredential without a token or a certificate');
}

/** Limit for a program's output in a message. */
const MOST_CHARACTERS = 500;

function describeEnd(started: Started | undefined, error: NodeJS.ErrnoException): string {
  if (started === undefined) return `cannot be started: ${redact(error.message)}`;
  if (error.code !== undefined) return `cannot be started (${error.code})`;
  const { child, cut } = started;
  const ended = cut();
  if (ended !== undefined) return CUTS[ended];
  if (child.exitCode === 0) return 'did not print an ExecCredential';
  const how = child.signalCode ? `was ended by ${child.signalCode}` : `failed with exit code ${child.exitCode ?? '?'}`;
  const output = redact(error.message.trim()).slice(-MOST_CHARACTERS);
  return output === '' ? `${how}, and wrote nothing to stderr` : `${how}: ${output}`;
}

const CUTS: Readonly<Record<Cut, string>> = {
  tooLong: 'did not end in time',
  tooLarge: 'printed something that is larger than an ExecCredential can be',
};

function failure({ user, exec }: ExecUser, problem: string, cause?: unknown): Error {
  const { installHint = '' } = exec;
  const hint = `Run it by hand, or log in again: \`kubectl get namespaces\` uses the same program`;
  return noCredentials(
    `the credential plugin \`${commandLine(exec)}\` of user ${JSON.stringify(user.name)} in ${user.path} ${problem}`,
    installHint === '' ? hint : `${hint}. ${redact(installHint.trim()).slice(0, MOST_CHARACTERS)}`,
    cause,
  );
}

function needsTerminal({ user, exec }: ExecUser): Error {
  return invalidKubeconfig(
    `the credential plugin \`${commandLine(exec)}\` of user ${JSON.stringify(user.name)} in ${user.path} asks for a terminal (interactiveMode Always)`,
    'Use a token, or set interactiveMode to IfAvailable if the plugin remembers a login',
  );
}
