import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { groupOf } from '../../api/object.ts';
import { RENDERED_KINDS } from '../../bundles/render/rendered-kinds.ts';
import { mayWatch } from './watched-kinds.ts';

interface Role {
  readonly kind: string;
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

const folder = join(import.meta.dirname, '../../deploy/rbac');
const roles = loadAll(readFileSync(join(folder, 'rbac.yaml'), 'utf8')) as Role[];
const rules = roles.filter(({ kind }) => kind === 'ClusterRole').flatMap(({ rules: all = [] }) => all);

/** The API server's resource name of every kind that bundles render to. */
function resourceOf(kind: string): string {
  return `${kind.toLowerCase().replace(/s$/, 'se').replace(/y$/, 'ie')}s`;
}

/** Whether a rule gives the verb on exactly this resource. */
function gives(verb: string, apiVersion: string, kind: string): boolean {
  return rules.some(
    ({ apiGroups, resources, verbs }) =>
      apiGroups.includes(groupOf(apiVersion)) && resources.includes(resourceOf(kind)) && verbs.includes(verb),
  );
}

describe('the manager', () => {
  test.each(RENDERED_KINDS)('the manager has the rights to follow $kind of $apiVersion', ({ apiVersion, kind }) => {
    expect(mayWatch({ apiVersion, kind })).toBe(true);
    expect(['get', 'watch'].filter((verb) => !gives(verb, apiVersion, kind))).toEqual([]);
  });

  test.each([
    { apiVersion: 'v1', kind: 'Pod', because: 'no bundle brings a Pod' },
    { apiVersion: 'serving.knative.dev/v1', kind: 'Service', because: 'the right is for the Services of Kubernetes' },
  ])('the manager does not follow $kind of $apiVersion: $because', ({ apiVersion, kind }) => {
    expect(mayWatch({ apiVersion, kind })).toBe(false);
    expect(gives('watch', apiVersion, kind)).toBe(false);
  });

  test('the manager does not follow Namespaces for Revisions, since no bundle brings one', () => {
    expect(mayWatch({ apiVersion: 'v1', kind: 'Namespace' })).toBe(false);
  });
});
