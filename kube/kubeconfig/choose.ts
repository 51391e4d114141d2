/**
 * Picks the cluster and the user of one context from the texts of kubeconfig files, by the rules of kubectl: the first
 * of entries with one name wins, and so does the first `current-context`. Only the entries that the context names are
 * validated, so that a mistake in another one is harmless. Pure; connection.ts builds a connection from the result.
 * @see https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/#merging-kubeconfig-files
 */
import { load } from 'js-yaml';
import type * as z from 'zod/mini';
import { invalidKubeconfig } from './invalid.ts';
import {
  clusterSchema,
  contextSchema,
  fileSchema,
  userSchema,
  type KubeconfigCluster,
  type KubeconfigUser,
} from './schema.ts';

export interface KubeconfigFile {
  readonly path: string;
  readonly text: string;
}

/** An entry of a kubeconfig, and its file: relative paths in the entry start at the file's folder. */
export interface KubeconfigEntry<Value> {
  readonly name: string;
  readonly path: string;
  readonly value: Value;
}

export interface ChosenContext {
  readonly name: string;
  readonly namespace: string;
  readonly cluster: KubeconfigEntry<KubeconfigCluster>;
  /** Absent: requests are anonymous. */
  readonly user: KubeconfigEntry<KubeconfigUser> | undefined;
}

/**
 * The entries of `context`, or of `current-context`.
 * @throws ReasonedError KubeconfigInvalid, never: a file cannot be parsed, or an entry is missing or malformed
 */
export function chooseContext(files: readonly KubeconfigFile[], context?: string): ChosenContext {
  const parsed = files.map(parseFile);
  const name = context ?? parsed.map((file) => file.current).find((current) => current !== '') ?? '';
  const all = mergeFiles(parsed);
  const chosen = entryOf(all.contexts, { kind: 'context', name, context: name, files }, contextSchema);
  const { cluster, user = '', namespace } = chosen.value;
  return {
    name,
    namespace: namespace ?? 'default',
    cluster: entryOf(all.clusters, { kind: 'cluster', name: cluster, context: name, files }, clusterSchema),
    user: user === '' ? undefined : entryOf(all.users, { kind: 'user', name: user, context: name, files }, userSchema),
  };
}

type Entries = ReadonlyMap<string, KubeconfigEntry<unknown>>;

interface ParsedKubeconfig {
  readonly current: string;
  readonly contexts: readonly KubeconfigEntry<unknown>[];
  readonly clusters: readonly KubeconfigEntry<unknown>[];
  readonly users: readonly KubeconfigEntry<unknown>[];
}

function parseFile({ path, text }: KubeconfigFile): ParsedKubeconfig {
  const file = parseText(path, text);
  return {
    current: file['current-context'] ?? '',
    contexts: (file.contexts ?? []).map(({ name, context }) => ({ name, path, value: context })),
    clusters: (file.clusters ?? []).map(({ name, cluster }) => ({ name, path, value: cluster })),
    users: (file.users ?? []).map(({ name, user }) => ({ name, path, value: user })),
  };
}

function parseText(path: string, text: string): z.infer<typeof fileSchema> {
  const { success, data, error } = fileSchema.safeParse(loadYaml(path, text));
  if (success) return data;
  throw unparsable(path, describe(error), error);
}

function loadYaml(path: string, text: string): unknown {
  try {
    return text.trim() === '' ? {} : load(text);
  } catch (cause) {
    throw unparsable(path, firstLine((cause as Error).message), cause);
  }
}

function unparsable(path: string, problem: string, cause: unknown): Error {
  return invalidKubeconfig(
    `kubeconfig ${path} cannot be parsed: ${problem}`,
    'Check it with `kubectl config view`',
    cause,
  );
}

function mergeFiles(files: readonly ParsedKubeconfig[]): Readonly<Record<'contexts' | 'clusters' | 'users', Entries>> {
  const merge = (part: 'contexts' | 'clusters' | 'users'): Entries =>
    // A Map keeps the last entry of a name, and the first has to win: hence the reverse order.
    new Map(
      files
        .flatMap((file) => file[part])
        .toReversed()
        .map((entry) => [entry.name, entry]),
    );
  return { contexts: merge('contexts'), clusters: merge('clusters'), users: merge('users') };
}

interface WantedEntry {
  readonly kind: 'context' | 'cluster' | 'user';
  readonly name: string;
  /** Name of the context that names the entry. */
  readonly context: string;
  readonly files: readonly KubeconfigFile[];
}

function entryOf<Schema extends z.ZodMiniType>(
  entries: Entries,
  wanted: WantedEntry,
  schema: Schema,
): KubeconfigEntry<z.infer<Schema>> {
  const found = entries.get(wanted.name);
  if (found === undefined) throw missing(entries, wanted);
  const { success, data, error } = schema.safeParse(found.value ?? {});
  if (success) return { ...found, value: data };
  throw invalidKubeconfig(
    `kubeconfig ${found.path}: ${wanted.kind} ${JSON.stringify(wanted.name)} is malformed: ${describe(error)}`,
    `Correct the ${wanted.kind}, or choose another context: \`kubectl config get-contexts\` lists them`,
    error,
  );
}

function missing(entries: Entries, { kind, name, context, files }: WantedEntry): Error {
  const paths = files.map(({ path }) => path).join(', ');
  const known = [...entries.keys()].slice(0, 10).join(', ');
  const hint = known === '' ? `There is no ${kind} at all; log in to a cluster first` : `There are: ${known}`;
  if (kind !== 'context')
    return invalidKubeconfig(
      `kubeconfig ${paths}: context ${JSON.stringify(context)} names ${kind} ${JSON.stringify(name)}, which does not exist`,
      hint,
    );
  return name === ''
    ? invalidKubeconfig(`kubeconfig ${paths} has no current-context`, `Name a context. ${hint}`)
    : invalidKubeconfig(`kubeconfig ${paths} has no context ${JSON.stringify(name)}`, hint);
}

/** Lists the invalid fields. */
function describe({ issues }: Failed): string {
  return issues
    .slice(0, 3)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ');
}

interface Failed {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
