import { type Fields, isRecord, itemsOf } from '../../api/untyped.ts';
import type { Manifest } from '../bundle.ts';
import { CRD_API } from '../typed/crd.ts';
import { at, asText, type Check, type FoundBy } from './check.ts';

const TYPES = ['integer', 'number', 'string', 'boolean', 'date'];

/** Printer columns have a name, a type and a path: the API server refuses the whole CRD for one that has not. */
export const crdColumns: Check = {
  name: 'crd-columns',
  suite: 'install',
  *run({ crds }) {
    for (const manifest of crds) {
      if (manifest.object.apiVersion !== CRD_API) continue;
      for (const { column, path } of columnsOf(manifest)) {
        for (const wrong of wrongIn(column)) {
          yield { level: 'error', ...at(manifest), ...wrong, path: `${path}.${wrong.path}` };
        }
      }
    }
  },
};

function* columnsOf({ object }: Manifest): Iterable<{ readonly column: Fields; readonly path: string }> {
  const spec = isRecord(object['spec']) ? object['spec'] : {};
  for (const [index, version] of itemsOf(spec['versions']).entries()) {
    if (!isRecord(version)) continue;
    for (const [at, column] of itemsOf(version['additionalPrinterColumns']).entries()) {
      if (isRecord(column)) yield { column, path: `spec.versions[${index}].additionalPrinterColumns[${at}]` };
    }
  }
}

function* wrongIn({
  name,
  type,
  jsonPath,
  ...others
}: Fields): Iterable<Pick<FoundBy, 'message' | 'advice'> & { readonly path: string }> {
  if (isEmpty(name)) yield { path: 'name', message: 'the column has no name', advice: 'Add it' };
  if (!TYPES.includes(asText(type))) {
    const message = `the column has the type "${asText(type)}"`;
    yield { path: 'type', message, advice: `Use one of ${TYPES.join(', ')}` };
  }
  if (isEmpty(jsonPath)) {
    const misspelt = Object.keys(others).find((key) => key.toLowerCase() === 'jsonpath');
    const message = 'the column has no path to its value';
    yield { path: 'jsonPath', message, advice: misspelt === undefined ? 'Add it' : `Rename ${misspelt} to jsonPath` };
  } else if (typeof jsonPath === 'string' && !jsonPath.startsWith('.')) {
    const message = `the path "${jsonPath}" does not start with "."`;
    yield { path: 'jsonPath', message, advice: 'Write it as .status.phase' };
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
