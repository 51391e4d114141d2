import { canonicalJson } from '../../../api/json.ts';
import { constraintAbove, constraintWithin } from '../constraints.ts';
import type { Change, FlatPair, VersionRule } from '../rule.ts';
import { hasDefault, isAbsent, parentOf, type Schema } from '../schema.ts';

/**
 * The API server also fills in defaults when it reads an object: objects that omit the field change their meaning. A
 * default may also break a constraint on the whole object: too many fields, two alternatives at once, an expression.
 */
export const defaultRule: VersionRule = {
  name: 'default',
  meaning: 'The default of a field changes.',
  compare: (_pair, flat) =>
    [...flat.next.keys()].flatMap((path): (Change & { readonly path: string })[] => {
      const [old, next] = [flat.old.get(path), flat.next.get(path)];
      const message = changeOf(old, next);
      if (message === undefined) return [];
      const asked = mayBeFilledIn(path, flat) ? askedOf(path, flat) : undefined;
      if (asked !== undefined)
        return [{ path, effect: 'rejects', message: `${message}, which ${asked} may not allow` }];
      return old === undefined ? [] : [{ path, effect: 'alters', message }];
    }),
};

function changeOf(old: Schema | undefined, next: Schema | undefined): string | undefined {
  const [before, after] = [old?.['default'], next?.['default']].map((value) =>
    isAbsent(value) ? undefined : canonicalJson(value),
  );
  if (before === after) return undefined;
  if (after === undefined) return `the default ${before} is gone`;
  return before === undefined ? `the default ${after} is new` : `the default ${before} becomes ${after}`;
}

/**
 * A default within a new object applies only if that object exists; if a new default creates it, the finding is made
 * there.
 */
function mayBeFilledIn(path: string, { old, next }: FlatPair): boolean {
  let above = parentOf(path);
  // A field name may itself contain dots.
  while (above !== undefined && !next.has(above)) above = parentOf(above);
  return above === undefined || old.has(above);
}

function askedOf(path: string, { next }: FlatPair): string | undefined {
  const schema = next.get(path);
  const within = schema !== undefined && hasDefault(schema) ? constraintWithin(schema) : undefined;
  return within ?? constraintAbove(path, next);
}
