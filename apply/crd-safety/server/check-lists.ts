/** Checks that list items are unique if their schema requires it: the items of a set, the keys of a list with keys. */
import { isRecord, itemsOf as listIn, textOf } from '../../../api/untyped.ts';
import type { Schema } from '../schema.ts';
import { hasRepeats } from './check-value.ts';
import { itemsOf, stepTo } from './node.ts';
import type { Report } from './problem.ts';
import { passFields, takeSteps, VISIT } from './steps.ts';
import { cutName } from './texts.ts';

/** Reports each list below the value that has repeated items, by the rule `topology`. */
export function checkLists(schema: Schema | undefined, value: unknown, path: string, report: Report): void {
  if (schema === undefined) return;
  takeSteps(VISIT);
  if (Array.isArray(value)) {
    const message = repeatIn(schema, value);
    if (message !== undefined) report({ rule: 'topology', path, message });
    for (const item of value) checkLists(itemsOf(schema), item, `${path}.items`, report);
    return;
  }
  if (!isRecord(value)) return;
  const fields = Object.entries(value);
  passFields(fields.length);
  for (const [key, field] of fields) {
    const step = stepTo(schema, key);
    if (step !== undefined) checkLists(step.schema, field, `${path}.${step.name}`, report);
  }
}

function repeatIn(schema: Schema, list: readonly unknown[]): string | undefined {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'set') return hasRepeats(list) ? 'an item of the set is there twice' : undefined;
  if (type !== 'map') return undefined;
  const names = listIn(schema['x-kubernetes-list-map-keys']).map(textOf);
  passFields(names.length * (1 + list.length));
  if (list.some((item) => item !== null && !isRecord(item))) return 'an item of the list with keys is no object';
  const found = list.map((item) =>
    names.map((name) => (isRecord(item) && Object.hasOwn(item, name) ? [item[name]] : [])),
  );
  return hasRepeats(found) ? `two items have the same ${cutName(names.join(', '))}` : undefined;
}
