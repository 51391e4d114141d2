import type { Bundle } from '../bundle.ts';
import { parseYaml, YamlError } from '../yaml.ts';
import { inCsv, asText, type Check, type FoundBy } from './check.ts';

/** The examples in the annotations can be read, and are of the APIs that the CSV offers. */
export const examples: Check = {
  name: 'examples',
  suite: 'format',
  *run(bundle) {
    const { annotations } = bundle.csv;
    const key = KEYS.find((candidate) => Object.hasOwn(annotations, candidate));
    if (key === undefined) {
      const message = 'there are no examples of custom resources';
      const advice = 'Add them as a JSON list in the annotation alm-examples';
      yield { level: 'warning', ...inCsv(bundle, 'metadata.annotations'), message, advice };
      return;
    }
    const where = inCsv(bundle, `metadata.annotations[${key}]`);
    const found = read(annotations[key] ?? '');
    if (typeof found === 'string') yield { level: 'error', ...where, message: found, advice: 'It must be a JSON list' };
    else yield* compare(bundle, where, found);
  },
};

const KEYS = ['alm-examples', 'olm.examples'];

/** `example.com/v1 Gadget` of each example, or the problem with the examples. */
function read(text: string): ReadonlySet<string> | string {
  if (text.trim() === '') return new Set();
  try {
    const value = parseYaml(text)[0]?.value ?? [];
    if (!Array.isArray(value)) return 'the examples are no list';
    return new Set(value.map(keyOf));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return `the examples cannot be read: ${error.message}`;
  }
}

function keyOf(example: unknown): string {
  const { apiVersion = '', kind = '' } = (example ?? {}) as Readonly<Record<string, unknown>>;
  return `${asText(apiVersion)} ${asText(kind)}`;
}

function* compare(bundle: Bundle, where: object, found: ReadonlySet<string>): Iterable<FoundBy> {
  const offered = new Set(offeredBy(bundle));
  for (const key of found) {
    if (offered.has(key)) continue;
    const message = `there is an example of ${key}, which the CSV does not offer`;
    yield { level: 'error', ...where, message, advice: 'Correct apiVersion and kind, or take the example away' };
  }
  for (const key of offered) {
    if (found.has(key)) continue;
    yield { level: 'warning', ...where, message: `there is no example of ${key}`, advice: 'Add one' };
  }
}

function offeredBy({ csv }: Bundle): readonly string[] {
  const { customresourcedefinitions, apiservicedefinitions } = csv.spec;
  return [
    ...(customresourcedefinitions.owned ?? []).map(
      ({ name, version, kind }) => `${name.slice(name.indexOf('.') + 1)}/${version} ${kind}`,
    ),
    ...(apiservicedefinitions.owned ?? []).map(({ group, version, kind }) => `${group}/${version} ${kind}`),
  ];
}
