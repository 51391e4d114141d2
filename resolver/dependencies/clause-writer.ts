/** Passed to every part of an encoding: the variables of a universe, and the selectors of its facts. */
import type { FactSelectors } from './facts.ts';
import type { Literals } from './literals.ts';
import type { Universe } from './model.ts';

export interface ClauseWriter {
  readonly universe: Universe;
  readonly literals: Literals;
  readonly selectors: FactSelectors;
}
