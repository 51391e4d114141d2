/** The rules for packages. */
import type { Collected, SeenPackage } from './collect.ts';
import type { CatalogFinding } from './finding.ts';

/** Finds the defects of packages. */
export function* checkPackages({ packages, channels, bundles }: Collected): Generator<CatalogFinding> {
  if (packages.length + channels.length + bundles.length === 0) yield NOTHING;
  const seen = new Set<string>();
  const channelNames = new Set(channels.map((channel) => `${channel.package}\0${channel.name}`));
  const withChannels = new Set(channels.map((channel) => channel.package));
  for (const { name, defaultChannel, malformed, place } of packages) {
    const common = { severity: 'error', package: name, place } as const;
    yield* checkName({ name, place });
    for (const part of malformed)
      yield { ...common, rule: 'Malformed', message: `package ${name}: ${part}`, advice: 'Correct it' };
    if (name === '') continue;
    if (seen.has(name)) {
      yield {
        ...common,
        rule: 'DuplicatePackage',
        message: `package ${name} is described more than once`,
        advice: 'Keep one of the descriptions',
      };
      continue;
    }
    seen.add(name);
    if (!withChannels.has(name)) {
      yield {
        ...common,
        rule: 'NoChannels',
        message: `package ${name} has no channel`,
        advice: 'Add an olm.channel for the package',
      };
    }
    if (defaultChannel === '') {
      yield {
        ...common,
        rule: 'DefaultChannel',
        message: `package ${name} names no default channel`,
        advice: 'Set defaultChannel to one of its channels',
      };
    } else if (!channelNames.has(`${name}\0${defaultChannel}`)) {
      yield {
        ...common,
        rule: 'DefaultChannel',
        message: `the default channel "${defaultChannel}" of package ${name} does not exist`,
        advice: 'Set defaultChannel to one of its channels',
      };
    }
  }
}

/** The reference lets it pass; a folder or image in which nothing is found is another one than was meant. */
const NOTHING: CatalogFinding = {
  severity: 'error',
  rule: 'NoPackages',
  message: 'the catalog has no packages',
  advice: 'Name the folder or image of a catalog: its files hold documents of the schema olm.package',
};

function* checkName({ name, place }: Pick<SeenPackage, 'name' | 'place'>): Generator<CatalogFinding> {
  const common = { severity: 'error', rule: 'PackageName', package: name, place } as const;
  if (name === '') yield { ...common, message: 'a package has no name', advice: 'Set its name' };
  else if (name.length > 63 || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) {
    yield {
      ...common,
      message: `the name of package "${name}" is not a DNS label`,
      advice: 'Use at most 63 lower-case letters, digits and hyphens, with a letter or digit at both ends',
    };
  }
}
