/** A rule with the place in which it is needed, and its parts. Pure. */
import { EVERYWHERE, type Atom } from './atom.ts';
import { atomsOf, type PermittedRule } from './atoms-of.ts';
import type { RightsRule } from './rule.ts';

/** A rule, and the namespace in which it is needed; EVERYWHERE for the whole cluster. */
export interface ScopedRule {
  readonly scope: string;
  readonly rule: RightsRule;
}

/** The parts of one rule, held by the operator: the holder has no say in a comparison of rules. */
export function atomsOfScoped({ scope, rule }: ScopedRule): readonly Atom[] {
  const permitted: PermittedRule = scope === EVERYWHERE ? rule : { ...rule, namespaces: [scope] };
  return atomsOf([], new Map(), [permitted]);
}
