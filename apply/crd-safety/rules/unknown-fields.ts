import { fieldsOf } from '../../../api/untyped.ts';
import type { Change, NodePair, NodeRule } from '../rule.ts';
import { isSchema } from '../schema.ts';
import { isOpen } from '../server/node.ts';

/**
 * Fields that the schema does not name are dropped, unless it preserves them. A preserved field that gets a schema now
 * has to follow it, and loses everything that the schema does not name, at any depth.
 */
export const unknownFieldsRule: NodeRule = {
  name: 'unknownFields',
  meaning: 'Fields that the schema does not name are kept no longer, or have to satisfy a schema.',
  keywords: ['x-kubernetes-preserve-unknown-fields'],
  compare(pair: NodePair): Change[] {
    const [before, after] = [isOpen(pair.old), isOpen(pair.next)];
    if (before && !after) return [{ effect: 'loses', message: 'fields that the schema does not name are dropped now' }];
    if (!before && after) return [{ effect: 'none', message: 'fields that the schema does not name are kept now' }];
    return before ? namedNow(pair) : [];
  },
};

function namedNow({ old, next }: NodePair): Change[] {
  const known = fieldsOf(old['properties']);
  const names = Object.keys(fieldsOf(next['properties'])).filter((name) => !Object.hasOwn(known, name));
  const named = names.map((name) => `"${name}"`).join(', ');
  return [
    ...(names.length > 0 ? [followNow(`kept as ${named}`)] : []),
    ...(isSchema(next['additionalProperties']) && old['additionalProperties'] === undefined
      ? [followNow('kept under any name')]
      : []),
  ];
}

function followNow(which: string): Change {
  return { effect: 'loses', message: `values ${which} have to follow a schema now` };
}
