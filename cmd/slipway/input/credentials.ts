/**
 * The credentials that the user's other tools have stored: docker's and podman's configuration files, and the
 * programs that these name to ask for credentials.
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ReasonedError } from '../../../api/errors.ts';
import { parseDockerConfig, type Credential, type CredentialLookup } from '../../../oci/docker-config.ts';
import type { Environment } from '../environment.ts';
import { runHelper } from './run-helper.ts';

/**
 * Looks credentials up in the file that is named, else in all files where tools keep them; the first that has some
 * counts. The files are read at the first question.
 *
 * @throws ReasonedError PullSecretInvalid, from the lookup
 */
export function findCredentials(environment: Environment, file: string | undefined): CredentialLookup {
  let known: Promise<readonly CredentialLookup[]> | undefined;
  return async (registry, repository) => {
    known ??= readAll(environment, file);
    for (const lookup of await known) {
      const credential = await lookup(registry, repository);
      if (credential !== undefined) return credential;
    }
    return undefined;
  };
}

async function readAll(environment: Environment, file: string | undefined): Promise<readonly CredentialLookup[]> {
  const paths = file === undefined ? usualFiles(environment) : [resolve(environment.folder, file)];
  const found = await Promise.all(
    paths.map(async (path) => ({ path, content: await readIfThere(path, file !== undefined) })),
  );
  return found.flatMap(({ path, content }) => (content === undefined ? [] : lookupIn(environment, path, content)));
}

/** In the order in which they count. */
function usualFiles({ variables, home }: Environment): readonly string[] {
  const { REGISTRY_AUTH_FILE, DOCKER_CONFIG, XDG_RUNTIME_DIR } = variables;
  return [
    ...(REGISTRY_AUTH_FILE ? [REGISTRY_AUTH_FILE] : []),
    join(DOCKER_CONFIG || join(home, '.docker'), 'config.json'),
    ...(XDG_RUNTIME_DIR ? [join(XDG_RUNTIME_DIR, 'containers/auth.json')] : []),
  ];
}

async function readIfThere(path: string, required: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (!required && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, (error as Error).message, error);
  }
}

/** The entries of the file first: `docker login` without a credential helper writes them. */
function lookupIn(environment: Environment, path: string, content: string): readonly CredentialLookup[] {
  const { auths, credHelpers, credsStore } = parseConfig(path, content);
  const helperFor = (registry: string): unknown =>
    ownField(credHelpers, serverOf(registry)) ?? ownField(credHelpers, registry) ?? credsStore;
  return [
    parseAuths(path, auths),
    remembered(async (registry) => {
      const helper = helperFor(registry);
      return typeof helper === 'string' && helper !== ''
        ? askHelper(environment, { helper, registry, path })
        : undefined;
    }),
  ];
}

/** A client asks before every request, and a program takes its time; its answer may be valid for some minutes only. */
const REMEMBERED_MS = 60_000;

function remembered(ask: (registry: string) => Promise<Credential | undefined>): CredentialLookup {
  const answers = new Map<string, { readonly until: number; readonly credential: Promise<Credential | undefined> }>();
  return (registry) => {
    const known = answers.get(registry);
    if (known !== undefined && known.until > Date.now()) return known.credential;
    const credential = ask(registry);
    answers.set(registry, { until: Date.now() + REMEMBERED_MS, credential });
    return credential;
  };
}

function parseConfig(path: string, content: string): Readonly<Record<string, unknown>> {
  let config: unknown;
  try {
    config = JSON.parse(content);
  } catch (error) {
    throw unusable(path, 'it is not JSON', error);
  }
  if (typeof config !== 'object' || config === null) throw unusable(path, 'it is not a JSON object');
  return config as Readonly<Record<string, unknown>>;
}

function parseAuths(path: string, auths: unknown): CredentialLookup {
  try {
    return parseDockerConfig(JSON.stringify({ auths: auths ?? {} }));
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    throw unusable(path, error.message, error);
  }
}

function ownField(record: unknown, name: string): unknown {
  return typeof record === 'object' && record !== null && Object.hasOwn(record, name)
    ? (record as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** Docker's own registry is known to programs by its first address. */
function serverOf(registry: string): string {
  return registry === 'docker.io' ? 'https://index.docker.io/v1/' : registry;
}

interface HelperQuestion {
  readonly helper: string;
  readonly registry: string;
  readonly path: string;
}

/** @see https://github.com/docker/docker-credential-helpers#development */
async function askHelper(
  environment: Environment,
  { helper, registry, path }: HelperQuestion,
): Promise<Credential | undefined> {
  const program = `docker-credential-${helper}`;
  if (!/^[\w.-]+$/.test(helper))
    throw unusable(path, `${JSON.stringify(helper)} is no name of a program for credentials`);
  const { code, output } = await runHelper(environment, { program, input: serverOf(registry) }).catch(
    (error: unknown) => {
      throw unusable(path, `the program ${program} cannot be run: ${(error as Error).message}`, error);
    },
  );
  if (code !== 0 && /credentials not found/i.test(output)) return undefined;
  const answer = code === 0 ? parseAnswer(output) : undefined;
  if (answer === undefined) throw unusable(path, `the program ${program} gives no credentials for ${registry}`);
  const { Username: username, Secret: secret } = answer;
  if (username === '') return undefined;
  return username === '<token>'
    ? { kind: 'identityToken', token: secret }
    : { kind: 'basic', username, password: secret };
}

function parseAnswer(output: string): { readonly Username: string; readonly Secret: string } | undefined {
  try {
    const { Username, Secret } = JSON.parse(output) as Readonly<Record<string, unknown>>;
    return typeof Username === 'string' && typeof Secret === 'string' ? { Username, Secret } : undefined;
  } catch {
    return undefined;
  }
}

function unusable(path: string, why: string, cause?: unknown): ReasonedError {
  return new ReasonedError({
    reason: 'PullSecretInvalid',
    retry: 'never',
    message: `the credentials in ${path} cannot be used: ${why}`,
    hint: 'Log in to the registry again, or name another file by --registry-config',
    cause,
  });
}
