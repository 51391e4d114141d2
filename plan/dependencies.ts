/** Compares the requirements of two versions of a bundle. Pure. */
import { canonicalJson } from '../api/json.ts';
import { isRecord, textOf } from '../api/untyped.ts';
import type { Property } from '../bundles/bundle.ts';
import type { DependenciesChange } from './model.ts';

/** The requirements that only one side has, in words. */
export function compareDependencies(before: readonly Property[], after: readonly Property[]): DependenciesChange {
  const [old, next] = [requirementsOf(before), requirementsOf(after)];
  return { added: missingIn(new Set(old), next), removed: missingIn(new Set(next), old) };
}

function missingIn(known: ReadonlySet<string>, requirements: readonly string[]): readonly string[] {
  return requirements.filter((one) => !known.has(one));
}

/** The requirements among properties, each once, sorted. Catalogs and files of bundles name the types differently. */
export function requirementsOf(properties: readonly Property[]): readonly string[] {
  return [...new Set(properties.flatMap(({ type, value }) => describe(type, value) ?? []))].sort();
}

function describe(type: string, value: unknown): string | undefined {
  const fields = isRecord(value) ? value : {};
  const text = (name: string): string => textOf(fields[name]);
  switch (type) {
    case 'olm.package.required':
      return `package ${text('packageName')} in ${JSON.stringify(text('versionRange'))}`;
    case 'olm.gvk.required':
      return `kind ${text('kind')} of ${text('group')}/${text('version')}`;
    case 'olm.constraint':
      return `constraint ${canonicalJson(value ?? null)}`;
    default:
      return type.endsWith('.required') ? `${type} ${canonicalJson(value ?? null)}` : undefined;
  }
}
