/** Whether the properties of a bundle have the form that their type asks for; values of unknown types may be anything. */
import { field, isFields, textField } from '../fields.ts';

/** Fields that are texts where they are there, by type of property. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  'olm.package': ['packageName', 'version', 'release'],
  'olm.package.required': ['packageName', 'versionRange'],
  'olm.gvk': ['group', 'kind', 'version'],
  'olm.gvk.required': ['group', 'kind', 'version'],
  'olm.bundle.object': ['data'],
  'olm.csv.metadata': [],
};

/** What is wrong with the property at this index; undefined where nothing is. */
export function propertyProblem(property: unknown, index: number): string | undefined {
  if (!isFields(property)) return `property ${index} is not an object`;
  const type = textField(property, 'type') ?? '';
  if (type === '') return `property ${index} has no type`;
  const value = field(property, 'value');
  if (value === undefined) return `property ${index} (${type}) has no value`;
  const texts = Object.hasOwn(TEXTS, type) ? TEXTS[type] : undefined;
  if (texts === undefined) return undefined;
  if (!isFields(value)) return `the value of property ${index} (${type}) is not an object`;
  const wrong = texts.find((name) => !['string', 'undefined'].includes(typeof field(value, name)));
  return wrong === undefined ? undefined : `${wrong} of property ${index} (${type}) is not a text`;
}
