import { canonicalJson } from '../../../api/json.ts';
import { constraintAbove, constraintWithin } from '../constraints.ts';
import type { Change, FlatPair, VersionRule } from '../rule.ts';
import { parentOf, type Schema } from '../schema.ts';

/**
 * Defaults are filled in when an object is read too: those that leave the field out change their meaning. They may also
 * break what is asked of the object as a whole: one field too many, two alternatives at once, an expression.
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
    value === undefined ? undefined : canonicalJson(value),
  );
  if (before === after) return undefined;
  if (after === undefined) return `the default ${before} is gone`;
  return before === undefined ? `the default ${after} is new` : `the default ${before} becomes ${after}`;
}

/** In an object that is new itself there is nothing yet to fill in; if a new default fills that in, the finding is made there. */
function mayBeFilledIn(path: string, { old, next }: FlatPair): boolean {
  let above = parentOf(path);
  // A name may have dots of its own.
  while (above !== undefined && !next.has(above)) above = parentOf(above);
  return above === undefined || old.has(above);
}

function askedOf(path: string, { next }: FlatPair): string | undefined {
  const schema = next.get(path);
  const within = schema?.['default'] === undefined ? undefined : constraintWithin(schema);
  return within ?? constraintAbove(path, next);
}
