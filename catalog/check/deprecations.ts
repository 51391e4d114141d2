/** The rules for deprecations. */
import type { Collected, SeenDeprecations } from './collect.ts';
import type { CatalogFinding } from './finding.ts';

type DeprecationEntry = SeenDeprecations['entries'][number];

/** Finds the defects of deprecations. */
export function* checkDeprecations({
  packages,
  channels,
  bundles,
  deprecations,
}: Collected): Generator<CatalogFinding> {
  const known = new Set([
    ...packages.map(({ name }) => `olm.package\0${name}\0`),
    ...channels.map((channel) => `olm.channel\0${channel.package}\0${channel.name}`),
    ...bundles.map((bundle) => `olm.bundle\0${bundle.package}\0${bundle.name}`),
  ]);
  const seen = new Set<string>();
  for (const deprecation of deprecations) {
    const owner = deprecation.package;
    for (const part of deprecation.malformed) {
      const message = `the deprecations of package "${owner}": ${part}`;
      yield { ...error(deprecation, message, 'Correct it'), rule: 'Malformed' };
    }
    if (!known.has(`olm.package\0${owner}\0`)) {
      yield error(
        deprecation,
        `deprecations are of package "${owner}", which is not there`,
        'Name the package that they are about',
      );
      continue;
    }
    if (seen.has(owner))
      yield error(deprecation, `package ${owner} has more than one olm.deprecations`, 'Put all entries into one');
    seen.add(owner);
    yield* checkEntries(deprecation, known);
  }
}

function* checkEntries(deprecation: SeenDeprecations, known: ReadonlySet<string>): Generator<CatalogFinding> {
  const owner = deprecation.package;
  const seen = new Set<string>();
  for (const entry of deprecation.entries) {
    const what = `the deprecation of ${entry.schema} "${entry.name}" in package ${owner}`;
    const problem = referenceProblem(entry, owner, known);
    if (problem !== undefined)
      yield error(
        deprecation,
        `${what} ${problem}`,
        'Refer to the package without a name, or to a channel or bundle of it by name',
      );
    if (entry.message === '')
      yield error(deprecation, `${what} has no message`, 'Write the reason, and name a replacement');
    const key = `${entry.schema}\0${entry.name}`;
    if (seen.has(key)) yield error(deprecation, `${what} is stated more than once`, 'Keep one');
    seen.add(key);
  }
}

function referenceProblem(
  { schema, name }: DeprecationEntry,
  owner: string,
  known: ReadonlySet<string>,
): string | undefined {
  if (schema !== 'olm.package' && schema !== 'olm.channel' && schema !== 'olm.bundle') return 'has an unknown schema';
  if (schema === 'olm.package') return name === '' ? undefined : 'has a name, which the reference tools refuse';
  if (name === '') return 'has no name';
  return known.has(`${schema}\0${owner}\0${name}`) ? undefined : 'refers to something that the catalog does not have';
}

function error(deprecation: SeenDeprecations, message: string, advice: string): CatalogFinding {
  return {
    severity: 'error',
    rule: 'Deprecation',
    package: deprecation.package,
    message,
    advice,
    place: deprecation.place,
  };
}
