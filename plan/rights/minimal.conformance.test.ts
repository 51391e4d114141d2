/** The smallest account of each published package: it may do all that an installation asks for, and without any rule it may not. */
import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/object.ts';
import { groupKind } from '../../api/object.ts';
import { leaveOutImpossible } from '../../apply/impossible.ts';
import { prepareObjects } from '../../apply/prepare.ts';
import { renderBundle } from '../../bundles/render/render.ts';
import { bundleFolders, readBundle } from '../../bundles/testing/real-bundles.ts';
import { byExtent } from '../../e2e/lib/sample.ts';
import { devSet, hasShared } from '../../e2e/lib/shared.ts';
import { rolesFor } from './account-roles.ts';
import { minimalRights } from './minimal.ts';
import { allows, grantedBy, requestsOf } from './testing/naive-rbac.ts';

/** Versions of each package that are checked, spread over all of them. */
const VERSIONS = byExtent({ all: 4, sample: 1 });
const folders = hasShared ? [...Map.groupBy(bundleFolders(devSet()), dirname)].flatMap(([, all]) => spread(all)) : [];

function spread(all: readonly string[]): readonly string[] {
  const every = Math.max(1, Math.floor(all.length / VERSIONS));
  return all.filter((_, at) => at % every === 0).slice(0, VERSIONS);
}

/** Written out, so that a plural that follows no rule is seen here. */
const PLURALS: Readonly<Record<string, string>> = {
  NetworkPolicy: 'networkpolicies',
  PriorityClass: 'priorityclasses',
  PodDisruptionBudget: 'poddisruptionbudgets',
  VerticalPodAutoscaler: 'verticalpodautoscalers',
};

function pluralIn(objects: readonly KubeObject[]): (object: KubeObject) => string {
  const own = new Map(
    objects
      .filter(({ kind }) => kind === 'CustomResourceDefinition')
      .map((crd) => {
        const { group, names } = crd['spec'] as { group: string; names: { kind: string; plural: string } };
        return [`${names.kind}.${group}`, names.plural];
      }),
  );
  return (object) => own.get(groupKind(object)) ?? PLURALS[object.kind] ?? `${object.kind.toLowerCase()}s`;
}

describe.skipIf(!hasShared)('the smallest account that can install a published package', () => {
  let checked = 0;

  test.each(folders.map((folder) => ({ name: `${basename(dirname(folder))} ${basename(folder)}`, folder })))(
    '$name',
    ({ folder }) => {
      const objects = objectsOf(folder);
      if (objects === undefined) return;
      checked += 1;
      const granted = grantedBy(rolesFor(minimalRights(objects), { namespace: 'ops', name: 'installer' }, 'installer'));
      const requests = requestsOf(objects, pluralIn(objects));
      const allowing = requests.map((request) => granted.filter((rule) => allows(rule, request)));
      expect(requests.filter((_, at) => allowing[at]?.length === 0)).toEqual([]);
      const needed = new Set(allowing.filter(({ length }) => length === 1).map(([only]) => only));
      // The Secrets of certificates are written beside the objects of the bundle.
      const spare = granted.filter((rule) => !needed.has(rule) && rule.rule.resources?.includes('secrets') !== true);
      expect(spare).toEqual([]);
    },
  );

  test('is checked for a hundred bundles at least, and for a version of half of the packages in a sample', () => {
    expect(checked).toBeGreaterThanOrEqual(byExtent({ all: 100, sample: 30 }));
  });
});

function objectsOf(folder: string): readonly KubeObject[] | undefined {
  try {
    const bundle = readBundle(folder);
    const { kept } = leaveOutImpossible(renderBundle(bundle, { namespace: 'ops', certificates: 'manager' }));
    const options = {
      owner: { namespace: 'ops', name: 'real' },
      package: 'real',
      revision: 'real',
      installNamespace: 'ops',
    };
    return prepareObjects(kept, options);
  } catch (error) {
    if (error instanceof ReasonedError) return undefined;
    throw error;
  }
}
