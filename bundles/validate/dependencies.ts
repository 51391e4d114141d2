import type { Check } from './check.ts';

const FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['olm.gvk', ['group', 'version', 'kind']],
  ['olm.package', ['packageName', 'version']],
  ['olm.label', ['label']],
  ['olm.constraint', ['failureMessage']],
]);

/** Dependencies are of a known type and complete; those that cannot be read count as none. */
export const dependencies: Check = {
  name: 'dependencies',
  suite: 'format',
  *run(bundle) {
    const { dependenciesError, dependenciesFile: file = 'metadata/dependencies.yaml' } = bundle;
    if (dependenciesError !== undefined) {
      const advice = 'Correct the file: it counts as empty until then';
      yield { level: 'error', file, message: dependenciesError, advice };
    }
    for (const [index, { type, value }] of bundle.dependencies.entries()) {
      const path = `dependencies[${index}]`;
      const fields = FIELDS.get(type);
      const missing = fields?.filter((field) => typeof (value as Record<string, unknown> | null)?.[field] !== 'string');
      if (fields === undefined) {
        const message = `the type "${type}" is not known`;
        yield { level: 'error', file, path, message, advice: `Use one of ${[...FIELDS.keys()].join(', ')}` };
      } else if (missing !== undefined && missing.length > 0) {
        const message = `a dependency of the type ${type} needs ${missing.join(' and ')}`;
        yield { level: 'error', file, path, message, advice: 'Add what is missing' };
      }
    }
  },
};
