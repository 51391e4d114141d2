/** Finds the view of a path, with the parameters of path and query. Pure. */
import type { Parameters, View } from '../data/view.ts';

/** A view of any model; its model goes to the browser as it is. */
export type AnyView = View<unknown>;

export interface MatchedView {
  readonly view: AnyView;
  readonly parameters: Parameters;
  /** The same text for the same view and parameters. */
  readonly key: string;
}

/** Longer paths and values belong to no object. */
const MOST_LENGTH = 2000;

/** The longest pattern that matches; undefined if none does. */
export function matchView(views: readonly AnyView[], path: string, query: URLSearchParams): MatchedView | undefined {
  const segments = segmentsOf(path);
  if (segments === undefined) return undefined;
  const found = views
    .flatMap((view) => {
      const named = matchPattern(view.path, segments);
      return named === undefined ? [] : [{ view, named }];
    })
    .toSorted((one, other) => wordsOf(other.view.path) - wordsOf(one.view.path))[0];
  if (found === undefined) return undefined;
  const asked = found.view.query.flatMap((name) => {
    const value = query.get(name);
    return value === null || value.length > MOST_LENGTH ? [] : [[name, value] as const];
  });
  const parameters = Object.fromEntries([...asked, ...found.named]);
  return { view: found.view, parameters, key: `${found.view.path} ${JSON.stringify(parameters)}` };
}

/** The decoded parts of a path; undefined for one that cannot be decoded. */
function segmentsOf(path: string): readonly string[] | undefined {
  if (path.length > MOST_LENGTH) return undefined;
  try {
    return path.replace(/^\//, '').split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function matchPattern(
  pattern: string,
  segments: readonly string[],
): readonly (readonly [string, string])[] | undefined {
  const parts = pattern.replace(/^\//, '').split('/');
  if (parts.length !== segments.length) return undefined;
  const isMatch = parts.every((part, at) => (part.startsWith(':') ? segments[at] !== '' : part === segments[at]));
  if (!isMatch) return undefined;
  return parts.flatMap((part, at) => (part.startsWith(':') ? [[part.slice(1), segments[at] ?? ''] as const] : []));
}

/** A word of its own is a better match than any word. */
function wordsOf(pattern: string): number {
  return pattern.split('/').filter((part) => !part.startsWith(':')).length;
}
