/** Whether the properties of a bundle have the form that their type asks for; values of unknown types may be anything. */
import { YamlError, parseYaml } from '../../bundles/yaml.ts';
import { EXCERPT } from '../csv-metadata.ts';
import { field, textField } from '../fields.ts';
import { isRecord } from '../../api/untyped.ts';
import { decodeBase64, formProblems, type Forms } from './form.ts';

/** The fields that the reference tools read from the value of a property, by its type. */
const VALUES: Readonly<Record<string, Forms>> = {
  'olm.package': { packageName: 'text', version: 'text', release: 'text' },
  'olm.package.required': { packageName: 'text', versionRange: 'text' },
  'olm.gvk': { group: 'text', kind: 'text', version: 'text' },
  'olm.gvk.required': { group: 'text', kind: 'text', version: 'text' },
  'olm.channel': { channelName: 'text', priority: 'port' },
  'olm.bundle.object': { data: 'bytes' },
  'olm.csv.metadata': { annotations: 'text map', labels: 'text map', ...EXCERPT },
};

/** The defect of the property at this index; undefined if it has none. */
export function propertyProblem(property: unknown, index: number): string | undefined {
  if (!isRecord(property)) return `property ${index} is not an object`;
  const type = textField(property, 'type') ?? '';
  if (type === '') return `property ${index} has no type`;
  const value = field(property, 'value');
  if (value === undefined) return `property ${index} (${type}) has no value`;
  const form = Object.hasOwn(VALUES, type) ? VALUES[type] : undefined;
  if (form === undefined) return undefined;
  const what = `property ${index} (${type})`;
  const [first] = formProblems(value, form, 'value');
  if (first !== undefined) return `${what}: ${first}`;
  if (type !== 'olm.bundle.object' || !isRecord(value)) return undefined;
  return objectProblem(field(value, 'data'), what);
}

function objectProblem(data: unknown, what: string): string | undefined {
  try {
    parseYaml(decodeBase64(data) ?? '');
    return undefined;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return `the object in ${what} is not YAML: ${error.message}`;
  }
}
