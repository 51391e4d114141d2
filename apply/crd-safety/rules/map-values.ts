import { canonicalJson } from '../../../api/json.ts';
import { fieldsOf, textOf } from '../../../api/untyped.ts';
import type { Change, NodePair, NodeRule } from '../rule.ts';
import { isSchema, type Schema } from '../schema.ts';

/** Whether any key is kept; the schema of its value is compared as a node of its own. */
function takesAnyKey(schema: Schema): boolean {
  const values = schema['additionalProperties'];
  return values === true || isSchema(values) || schema['x-kubernetes-preserve-unknown-fields'] === true;
}

/**
 * If a map of any keys becomes an object of named fields, other keys are dropped, and named ones may get another
 * schema.
 */
export const mapValuesRule: NodeRule = {
  name: 'mapValues',
  meaning: 'Whether a map takes any key changes.',
  keywords: ['additionalProperties'],
  compare({ old, next }: NodePair): Change[] {
    const [before, after] = [takesAnyKey(old), takesAnyKey(next)];
    const [oldValues, newValues] = [old['additionalProperties'], next['additionalProperties']];
    if (before && !after && oldValues !== undefined) {
      return [{ effect: 'loses', message: 'keys that the schema does not name are dropped now' }];
    }
    if (oldValues === true && isSchema(newValues)) {
      return [{ effect: 'rejects', message: 'values of the map have to follow a schema now' }];
    }
    // Without a schema, the fields of an object value are dropped, since no schema names them.
    if (isSchema(oldValues) && newValues === true && !isScalar(oldValues)) {
      return [
        {
          effect: 'loses',
          message: 'the schema for the values of the map is gone, and the fields that it names are dropped',
        },
      ];
    }
    const named = oldValues === undefined ? [] : namedOtherwise(oldValues, old, next);
    if (named.length > 0)
      return [{ effect: 'rejects', message: `${named.join(', ')} have to follow another schema now` }];
    return !before && after && newValues !== undefined
      ? [{ effect: 'none', message: 'the map takes any key now' }]
      : [];
  },
};

function isScalar(schema: Schema): boolean {
  return ['string', 'integer', 'number', 'boolean'].includes(textOf(schema['type']));
}

function namedOtherwise(values: unknown, old: Schema, next: Schema): readonly string[] {
  const known = fieldsOf(old['properties']);
  const json = canonicalJson(values);
  return Object.entries(fieldsOf(next['properties']))
    .filter(([name, schema]) => !Object.hasOwn(known, name) && canonicalJson(schema) !== json)
    .map(([name]) => `"${name}"`);
}
