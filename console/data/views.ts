/** All views, and the one that a path means. Pure. */
import { catalog } from './catalog.ts';
import { events } from './events.ts';
import { graph } from './graph.ts';
import { overview } from './overview.ts';
import { packageView } from './package.ts';
import { plan } from './plan.ts';
import { revision } from './revision.ts';
import { slipway } from './slipway.ts';
import { subscribe } from './subscribe.ts';
import { subscription } from './subscription.ts';
import { uninstall } from './uninstall.ts';
import type { Parameters, View } from './view.ts';

export const VIEWS: readonly View<object>[] = [
  overview,
  subscription,
  graph,
  plan,
  uninstall,
  revision,
  catalog,
  packageView,
  subscribe,
  events,
  slipway,
];

/** A view with the parameters of an address. */
export interface ChosenView {
  readonly view: View<object>;
  readonly parameters: Parameters;
}

/** Longest name in a path and in a query. */
const MOST_PARAMETER = 600;

/**
 * The view of a path such as `/subscriptions/ops/gadget/graph`, with the parameters of the path and those of the query
 * that it knows; undefined if there is none. Parts that cannot be decoded name no view. Never throws.
 */
export function chooseView(
  path: string,
  query: URLSearchParams,
  views: readonly View<object>[] = VIEWS,
): ChosenView | undefined {
  const parts = partsOf(path);
  if (parts === undefined) return undefined;
  for (const view of views) {
    const own = matchPattern(view.path, parts);
    if (own !== undefined) return { view, parameters: { ...queryOf(view, query), ...own } };
  }
  return undefined;
}

function partsOf(path: string): readonly string[] | undefined {
  try {
    return path.split('/').slice(1).map(decodeURIComponent); // prettier-ignore
  } catch {
    return undefined;
  }
}

function matchPattern(pattern: string, parts: readonly string[]): Record<string, string> | undefined {
  const wanted = pattern.split('/').slice(1);
  if (wanted.length !== parts.length) return undefined;
  const found: Record<string, string> = {};
  for (const [at, one] of wanted.entries()) {
    const part = parts[at] ?? '';
    if (!one.startsWith(':')) {
      if (one !== part) return undefined;
    } else if (part === '' || part.length > MOST_PARAMETER) return undefined;
    else found[one.slice(1)] = part;
  }
  return found;
}

/** An empty value is the same as none; a longer one is cut. */
function queryOf({ query: known }: View<object>, query: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    known.flatMap((name) => {
      const value = query.get(name) ?? '';
      return value === '' ? [] : [[name, value.slice(0, MOST_PARAMETER)] as const];
    }),
  );
}
