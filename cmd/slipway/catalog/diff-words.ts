/** The differences of two catalogs as lines, `+` for added, `-` for removed, `~` for changed. Pure; not cleaned yet. */
import type { CatalogEdge, FromTo, PackageDiff } from '../../../catalog/author/diff.ts';
import type { Deprecation } from '../../../catalog/model.ts';
import { asBlock, asCode } from '../output/markdown.ts';
import { cleanLine } from '../../../report/clean.ts';

const SIGNS = { added: '+', removed: '-', changed: '~' } as const;

/** A block for each package, the lines below it indented; cleaned. */
export function diffText(diff: readonly PackageDiff[]): string {
  if (diff.length === 0) return 'The catalogs are the same\n';
  return diff
    .flatMap((one) => [cleanLine(titleOf(one)), ...linesOf(one).map((line) => `  ${cleanLine(line)}`)])
    .map((line) => `${line}\n`)
    .join('');
}

/** A heading for each package, and the lines as a block of code. */
export function diffMarkdown(diff: readonly PackageDiff[]): string {
  if (diff.length === 0) return '### Catalog: no changes\n';
  const blocks = diff.map(
    (one) =>
      `### Package ${asCode(one.package)} is ${one.change}\n\n${linesOf(one).length === 0 ? '' : `${asBlock(linesOf(one))}\n`}`,
  );
  return blocks.join('\n');
}

function titleOf({ package: name, change }: PackageDiff): string {
  return `${SIGNS[change]} package ${name}`;
}

function linesOf({ defaultChannel, bundles, channels, edges, deprecations }: PackageDiff): readonly string[] {
  return [
    ...(defaultChannel === undefined ? [] : [`~ default channel: ${arrow(defaultChannel)}`]),
    ...bundles.added.map(({ name, version, image }) => `+ bundle ${name} (${version}): ${image}`),
    ...bundles.removed.map(({ name, version, image }) => `- bundle ${name} (${version}): ${image}`),
    ...bundles.changed.map(describeBundle),
    ...channels.added.map((name) => `+ channel ${name}`),
    ...channels.removed.map((name) => `- channel ${name}`),
    ...channels.changed.map(
      ({ channel, heads }) => `~ channel ${channel}: head ${listed(heads.from)} → ${listed(heads.to)}`,
    ),
    ...edges.added.map((edge) => `+ ${describeEdge(edge)}`),
    ...edges.removed.map((edge) => `- ${describeEdge(edge)}`),
    ...deprecations.added.map((one) => `+ ${describeDeprecation(one)}: ${one.message}`),
    ...deprecations.removed.map((one) => `- ${describeDeprecation(one)}: ${one.message}`),
    ...deprecations.changed.map((one) => `~ ${describeDeprecation(one)}: ${arrow(one.message)}`),
  ];
}

function arrow({ from, to }: FromTo): string {
  return `${from === '' ? 'none' : from} → ${to === '' ? 'none' : to}`;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}

function describeBundle({
  name,
  image,
  version,
  properties,
  relatedImages,
}: PackageDiff['bundles']['changed'][number]): string {
  const parts = [
    ...(version === undefined ? [] : [`version ${arrow(version)}`]),
    ...(image === undefined ? [] : [`image ${arrow(image)}`]),
    ...(properties.length === 0 ? [] : [`properties ${properties.join(', ')}`]),
    ...(relatedImages ? ['related images'] : []),
  ];
  return `~ bundle ${name}: ${parts.join('; ')}`;
}

function describeEdge({ channel, to, kind, from }: CatalogEdge): string {
  return kind === 'entry' ? `channel ${channel}: ${to}` : `channel ${channel}: ${to} ${kind} ${from}`;
}

const NOUNS: Readonly<Record<Deprecation['schema'], string>> = {
  'olm.package': 'package',
  'olm.channel': 'channel',
  'olm.bundle': 'bundle',
};

function describeDeprecation({ schema, name }: Pick<Deprecation, 'schema' | 'name'>): string {
  return `deprecation of ${NOUNS[schema]}${name === undefined ? '' : ` ${name}`}`;
}
