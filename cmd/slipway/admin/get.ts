/** `slipway get`: Slipway's objects of each kind, as tables or as they are. */
import { compareText } from '../../../api/compare-text.ts';
import { isForbidden } from '../../../api/api-answers.ts';
import type { ListOptions } from '../../../api/cluster.ts';
import type { CustomKind } from '../../../api/kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { similarTo } from '../../../resolver/similar.ts';
import type { Environment } from '../environment.ts';
import { withCluster, type Connection } from '../input/connection.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';
import { formatYaml } from '../../../report/data.ts';
import { formatTable } from '../output/table.ts';
import { headerOf, KINDS, rowOf, type TableOptions } from './columns.ts';
import type { ReadFlags } from './flags.ts';
import { GrowingTable } from './growing-table.ts';
import { listObjects } from './objects.ts';
import { formatStreamed, listOfObjects, nameOf } from './print.ts';
import { changesOf } from './watch.ts';

export async function get(
  environment: Environment,
  word: string,
  names: readonly string[],
  flags: ReadFlags,
): Promise<Outcome> {
  const kinds = kindsOf(word);
  const [first, ...others] = kinds;
  const request: Request = { kinds, names, flags };
  if (flags.watch === true && (first === undefined || others.length > 0))
    throw invalidInput('--watch follows one kind', `Name ${listOfWords(PLURALS)}`);
  return withCluster(environment, flags, async (connection) =>
    flags.watch === true && first !== undefined
      ? watch(environment, connection, { ...request, kind: first })
      : list(environment, connection, request),
  );
}

interface Request {
  readonly kinds: readonly CustomKind[];
  /** Only these objects; all if there are none. */
  readonly names: readonly string[];
  readonly flags: ReadFlags;
}

/** The kinds that a word names: `subscriptions`, `subscription`, `all`. @throws ReasonedError InputInvalid */
export function kindsOf(word: string): readonly CustomKind[] {
  const named = word.toLowerCase().replace(/\.slipway\.dev$/, '');
  if (named === 'all') return KINDS;
  const kind = KINDS.find(({ plural, singular }) => named === plural || named === singular);
  if (kind !== undefined) return [kind];
  const [meant] = similarTo(named, [...PLURALS, 'all']);
  throw invalidInput(
    `${JSON.stringify(word)} is no kind of Slipway`,
    meant === undefined ? `Write ${listOfWords([...PLURALS, 'all'])}` : `Did you mean ${meant}?`,
  );
}

const PLURALS = KINDS.map(({ plural }) => plural);

/** `one, two or three` */
function listOfWords(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

async function list(environment: Environment, connection: Connection, request: Request): Promise<Outcome> {
  const { kinds, names, flags } = request;
  const { client } = connection;
  const lists = kinds.map(async (kind) => {
    const reading = listObjects(client, kind, optionsOf(kind, connection, flags), environment.signal);
    return { kind, objects: kinds.length === 1 ? await reading : await orNone(reading, environment) };
  });
  const found = await Promise.all(lists);
  const chosen = found.map(({ kind, objects }) => ({ kind, objects: sorted(objects).filter(isNamed(names)) }));
  const objects = chosen.flatMap((one) => one.objects);
  needAll(names, { objects, all: found.flatMap((one) => one.objects), word: kinds.map(({ plural }) => plural).join(' or ') }); // prettier-ignore
  const data = names.length === 1 && objects.length === 1 ? objects[0] : listOfObjects(objects);
  if (flags.output === 'yaml') return { data, text: formatYaml([data]) };
  if (flags.output === 'name') return { data, text: objects.map((object) => `${nameOf(object)}\n`).join('') };
  return { data, text: tablesOf(chosen, tableOptions(flags), environment.columns) };
}

/** The objects of one kind of several; none, with a complaint, if the user may not list them: RegistryPolicies are for administrators. */
async function orNone(
  reading: Promise<readonly KubeObject[]>,
  { complain }: Environment,
): Promise<readonly KubeObject[]> {
  try {
    return await reading;
  } catch (error) {
    if (!isForbidden(error)) throw error;
    complain(`slipway: ${cleanLine((error as Error).message)}\n`);
    return [];
  }
}

function optionsOf(kind: CustomKind, { namespace }: Connection, flags: ReadFlags): ListOptions {
  return {
    ...(kind.scope === 'Namespaced' && flags.allNamespaces !== true && { namespace }),
    ...(flags.selector !== undefined && { labelSelector: flags.selector }),
  };
}

function isNamed(names: readonly string[]): (object: KubeObject) => boolean {
  return ({ metadata }) => names.length === 0 || names.includes(metadata.name);
}

/** @throws ReasonedError InputInvalid for a name that no object has */
function needAll(
  names: readonly string[],
  { objects, all, word }: { readonly objects: readonly KubeObject[]; readonly all: readonly KubeObject[]; readonly word: string }, // prettier-ignore
): void {
  const missing = names.find((name) => !objects.some(({ metadata }) => metadata.name === name));
  if (missing === undefined) return;
  const meant = similarTo(missing, all.map(({ metadata }) => metadata.name)); // prettier-ignore
  throw invalidInput(
    `none of the ${word} is named ${JSON.stringify(missing)}`,
    meant.length > 0
      ? `Did you mean ${meant.join(' or ')}?`
      : 'Leave the name out to list all, and -A for all namespaces',
  );
}

function sorted(objects: readonly KubeObject[]): readonly KubeObject[] {
  const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}\u0000${metadata.name}`;
  return objects.toSorted((one, other) => compareText(keyOf(one), keyOf(other)));
}

function tableOptions(flags: ReadFlags): TableOptions {
  return { wide: flags.output === 'wide', namespaces: flags.allNamespaces === true, now: new Date() };
}

interface ChosenKind {
  readonly kind: CustomKind;
  readonly objects: readonly KubeObject[];
}

/** One table for each kind that has objects, an empty line between. */
function tablesOf(chosen: readonly ChosenKind[], options: TableOptions, columns: number | undefined): string {
  const shown = chosen.filter(({ objects }) => objects.length > 0);
  if (shown.length === 0)
    return `There are no ${chosen.map(({ kind }) => kind.plural).join(', ')}${inPlace(options)}\n`;
  return shown
    .map(({ kind, objects }) => {
      const rows = objects.map((object) => rowOf(kind, object, options));
      return formatTable(headerOf(kind, options), rows, columns);
    })
    .join('\n');
}

function inPlace({ namespaces }: TableOptions): string {
  return namespaces ? '' : ' here; -A lists those of all namespaces';
}

/** Prints all objects, then a row for each change. Ends with the signal only. */
async function watch(
  environment: Environment,
  connection: Connection,
  { kind, names, flags }: Request & { readonly kind: CustomKind },
): Promise<Outcome> {
  const { print, signal, columns } = environment;
  const options = optionsOf(kind, connection, flags);
  const table = new GrowingTable(headerOf(kind, tableOptions(flags)), columns);
  for await (const changes of changesOf({ client: connection.client, kind, options, signal })) {
    for (const { object } of changes) {
      if (!isNamed(names)(object)) continue;
      const text = flags.output === 'name' ? `${nameOf(object)}\n` : formatStreamed(object, flags.output);
      print(text ?? table.add(rowOf(kind, object, tableOptions(flags))));
    }
  }
  return { data: {}, text: '' };
}
