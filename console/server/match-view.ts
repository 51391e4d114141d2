/** Finds the view of a path, with its parameters and a key for both. Pure. */
import { chooseView, type ChosenView } from '../data/views.ts';
import type { View } from '../data/view.ts';

/** A view of any model; its model goes to the browser as it is. */
export type AnyView = View<object>;

export interface MatchedView extends ChosenView {
  /** The same text for the same view and parameters. */
  readonly key: string;
}

/** Undefined if no view has this path. */
export function matchView(views: readonly AnyView[], path: string, query: URLSearchParams): MatchedView | undefined {
  const chosen = chooseView(path, query, views);
  return chosen && { ...chosen, key: `${chosen.view.path} ${JSON.stringify(chosen.parameters)}` };
}
