/** Applies a suggestion to a question about the package `thing`, so that a test can ask it again. */
import type { Suggestion } from '../decision.ts';
import type { CatalogSource, ResolveInput, Wanted } from '../input.ts';

/** Whether the answer after a change may be to stay with the installed bundle. */
export function saysToStay(suggestion: Suggestion): boolean {
  if (suggestion.change === 'together') return suggestion.of.some(saysToStay);
  return 'stays' in suggestion && suggestion.stays;
}

/** The question as it is after a change; undefined if the change is not one of the question's. */
export function applySuggestion(input: ResolveInput, suggestion: Suggestion): ResolveInput | undefined {
  const { wanted: before, cluster, catalogs } = input;
  const wants = (change: Partial<Wanted>): ResolveInput => ({ ...input, wanted: { ...before, ...change } });
  switch (suggestion.change) {
    case 'channel':
      return wants({ channel: suggestion.channel });
    case 'version':
    case 'goDown':
      return wants({ version: suggestion.version });
    case 'anyVersion':
      return wants({ version: '' });
    case 'edges':
      return wants({ edges: 'Ignore' });
    case 'dependencies':
      return wants({ dependencies: 'Install' });
    case 'ignoreDependencies':
      return wants({ dependencies: 'Ignore' });
    case 'release':
      return { ...input, quarantined: input.quarantined.filter((name) => !suggestion.bundles.includes(name)) };
    case 'cluster':
      return { ...input, cluster: { providedKinds: [], ...cluster, kubernetesVersion: suggestion.kubernetes } };
    case 'catalog': {
      const selected = catalogs.map((one) => ({ ...one, selected: one.name === suggestion.catalogs[0] }));
      return { ...input, wanted: { ...before, catalog: suggestion.catalogs[0] ?? '' }, catalogs: selected };
    }
    case 'edge':
      return { ...input, catalogs: catalogs.map((one) => withEdge(one, suggestion)) };
    case 'together':
      return suggestion.of.reduce<ResolveInput | undefined>(
        (changed, one) => (changed === undefined ? undefined : applySuggestion(changed, one)),
        input,
      );
    default:
      return undefined;
  }
}

function withEdge(
  source: CatalogSource,
  { channel, into, from }: { readonly channel: string; readonly into: string; readonly from: string },
): CatalogSource {
  const content = source.content('thing');
  if (content === undefined) return source;
  const channels = content.channels.map((one) => ({
    ...one,
    entries: one.entries.map((entry) =>
      one.name === channel && entry.name === into ? { ...entry, skips: [...entry.skips, from] } : entry,
    ),
  }));
  return { ...source, content: (name) => (name === 'thing' ? { ...content, channels } : source.content(name)) };
}
