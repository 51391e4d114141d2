/** All views. */
import { graph } from './graph.ts';
import { overview } from './overview.ts';
import { subscription } from './subscription.ts';
import type { View } from './view.ts';

export const VIEWS: readonly View<unknown>[] = [overview, subscription, graph];
