/** The plan from files and the plan of stored Revisions are the same, for each upgrade between versions of real packages. */
import { basename, dirname } from 'node:path';
import { compare, valid } from 'semver';
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../../api/errors.ts';
import { parseObject } from '../../../api/kind.ts';
import { SUBSCRIPTION } from '../../../api/subscription.ts';
import { leaveOutImpossible } from '../../../apply/impossible.ts';
import type { Bundle } from '../../../bundles/bundle.ts';
import { renderBundle } from '../../../bundles/render/render.ts';
import { bundleFolders, readBundle } from '../../../bundles/testing/real-bundles.ts';
import { inputOf, sideOfRevision } from '../../../controllers/plan/input.ts';
import { packManifests } from '../../../controllers/manifests.ts';
import { createRevision } from '../../../controllers/subscription/revisions.ts';
import { byExtent, sampleOf } from '../../../e2e/lib/sample.ts';
import { devSet, hasShared } from '../../../e2e/lib/shared.ts';
import { createFakeCluster } from '../../../kube/testing/fake-cluster.ts';
import type { PlannedSide } from '../../../plan/input.ts';
import type { Plan } from '../../../plan/model.ts';
import { planChange } from '../../../plan/plan.ts';
import { sideOf } from './side.ts';

const subscription = parseObject(SUBSCRIPTION, {
  apiVersion: 'slipway.dev/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'real', namespace: 'ops', uid: 'subscription-uid' },
  spec: { package: 'real' },
});
const folders = hasShared ? bundleFolders(devSet()) : [];
const packages = sampleOf([...Map.groupBy(folders, dirname)], { every: 12 });

/** A version as the command line reads it, and as the manager has stored it. */
interface BothSides {
  readonly offline: PlannedSide;
  readonly stored: PlannedSide;
}

describe.skipIf(!hasShared)('each upgrade of a real package', () => {
  let compared = 0;

  test.each(packages.map(([folder, versions]) => ({ name: basename(folder), versions })))(
    '$name: the plan from files has the content and the hash of the plan of its Revisions',
    async ({ versions }) => {
      let before: BothSides | undefined;
      for (const { bundle, version } of ordered(versions)) {
        const after = await bothSides(bundle, version);
        if (after !== undefined && before !== undefined) {
          expect(planOf(before.offline, after.offline), version).toEqual(planOf(before.stored, after.stored));
          compared += 1;
        }
        before = after ?? before;
      }
    },
  );

  test('enough of them are compared', () => {
    expect(compared).toBeGreaterThan(byExtent({ all: 750, sample: 30 }));
  });
});

/** Without the image, which a bundle in a folder has not. */
function planOf(from: PlannedSide, to: PlannedSide): Plan {
  return planChange({ ...inputOf(subscription), from: withoutImage(from), to: withoutImage(to) });
}

function withoutImage(side: PlannedSide): PlannedSide {
  const { image: _, ...rest } = side;
  return rest;
}

function ordered(versions: readonly string[]): readonly { readonly bundle: Bundle; readonly version: string }[] {
  const read = versions.flatMap((folder) => {
    const bundle = tryTo(() => readBundle(folder));
    return bundle === undefined ? [] : [{ bundle, version: bundle.csv.spec.version ?? basename(folder) }];
  });
  return read.toSorted((a, b) =>
    valid(a.version) === null || valid(b.version) === null ? 0 : compare(a.version, b.version),
  );
}

async function bothSides(bundle: Bundle, version: string): Promise<BothSides | undefined> {
  const properties = [{ type: 'olm.package', value: { packageName: 'real', version } }, ...bundle.properties];
  const offline = tryTo(() => sideOf(subscription, { bundle, version, properties }));
  if (offline === undefined) return undefined;
  const cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  const { kept } = leaveOutImpossible(renderBundle(bundle, { namespace: 'ops', certificates: 'manager' }));
  const revision = await createRevision(cluster, {
    subscription,
    revisions: [],
    number: 1,
    target: {
      bundle: { name: bundle.csv.name, package: 'real', version, image: '', properties, relatedImages: [] },
      catalog: 'main',
      channel: 'stable',
      configHash: 'a',
    },
    bundle: { image: `registry.example/real@sha256:${'a'.repeat(64)}`, manifests: await packManifests(kept) },
    approved: true,
    active: true,
  });
  return { offline, stored: await sideOfRevision(cluster, revision) };
}

/** Undefined for a bundle that cannot be installed: these have tests of their own. */
function tryTo<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof ReasonedError) return undefined;
    throw error;
  }
}
