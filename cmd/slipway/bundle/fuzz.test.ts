/** A bundle with an odd part leads to orderly output on its way to a catalog or a cluster. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderObjects } from '../../../apply/phases.ts';
import { prepareObjects } from '../../../apply/prepare.ts';
import { parseBundle } from '../../../bundles/parse.ts';
import { renderBundle } from '../../../bundles/render/render.ts';
import { mutatedFiles, MUTATIONS } from '../../../bundles/testing/mutations.ts';
import { orRefused } from '../../../bundles/testing/or-refused.ts';
import { buildBundleBlob, parseBundleDirectory } from '../../../catalog/blob.ts';

const RUNS = 200;
/** Where everything else on the machine is busy, too. */
const timeout = 120_000;
const IMAGE = `r.example/gadget@sha256:${'a'.repeat(64)}`;
const PREPARE = { owner: { namespace: 'ops', name: 'a' }, package: 'p', revision: 'a-1', installNamespace: 'ops' };

test('what is rendered is put in order and made ready for the cluster, or refused with a reason', { timeout }, () => {
  let prepared = 0;
  const property = fc.property(MUTATIONS, (mutations) => {
    const bundle = orRefused(() => parseBundle(mutatedFiles(mutations)));
    const rendered = bundle && orRefused(() => renderBundle(bundle, { namespace: 'ops', certificates: 'manager' }));
    if (rendered === undefined) return;
    expect(orderObjects(rendered).flatMap(({ objects }) => objects)).toHaveLength(rendered.length);
    const ready = orRefused(() => prepareObjects(rendered, PREPARE)) ?? [];
    expect(ready.length).toBeLessThanOrEqual(rendered.length);
    prepared += ready.length > 0 ? 1 : 0;
  });
  fc.assert(property, { numRuns: RUNS });
  expect(prepared).toBeGreaterThan(RUNS / 10);
});

test.each(['excerpt', 'objects'] as const)(
  'its entry of a catalog, with %s, is made or refused',
  { timeout },
  (manifests) => {
    let made = 0;
    const property = fc.property(MUTATIONS, (mutations) => {
      const blob = orRefused(() =>
        buildBundleBlob(parseBundleDirectory(mutatedFiles(mutations)), { image: IMAGE, manifests }),
      );
      made += blob === undefined ? 0 : 1;
    });
    fc.assert(property, { numRuns: RUNS });
    expect(made).toBeGreaterThan(RUNS / 10);
  },
);
