/** Which operator of OLM v1 is handed over next, and which are on their way back. */
import { beforeEach, describe, expect, test } from 'vitest';
import { extensionOf } from '../../../../adoption/olm-v1/testing/extension.ts';
import { BACKUP, NAME, putHandedOver } from '../../../../adoption/olm-v1/testing/handed-over.ts';
import { backupRef } from '../../../../adoption/olm-v1/backup.ts';
import { keepWayBack } from '../../../../adoption/olm-v1/way-back.ts';
import { NEVER } from '../../../../api/testing/never.ts';
import { createFakeCluster, type FakeCluster } from '../../../../kube/testing/fake-cluster.ts';
import { nextExtension } from './extensions.ts';
import { listHandOvers } from './status.ts';

const WAY_BACK = { subscription: 'own', revision: 'gadget-1', bundle: '', version: '', managed: [], extension: '', spec: {}, before: {} }; // prettier-ignore
const NO_MARK = extensionOf({ metadata: { uid: 'again', generation: 1 }, progressing: { observedGeneration: 1 } });
const OFFER = extensionOf({ metadata: { annotations: { 'slipway.dev/adoption-offer': 'Offered' } } });

let cluster: FakeCluster;
beforeEach(() => {
  cluster = createFakeCluster();
  putHandedOver(cluster);
});

const keepList = () => cluster.patch(backupRef(NAME), keepWayBack(WAY_BACK));

describe('an operator that was handed over', () => {
  test.each([
    { because: 'no way back has begun', isKept: false, step: 'Done' },
    { because: 'its list is kept, and OLM is not offered it yet', isKept: true, step: 'HandingBack' },
    { because: 'OLM is offered it', isKept: false, extension: OFFER, step: 'HandingBack' },
    { because: 'the offer has lost its annotation', isKept: true, extension: NO_MARK, step: 'HandingBack' },
  ])('has the step $step if $because', async ({ isKept, extension, step }) => {
    if (isKept) await keepList();
    if (extension !== undefined) cluster.put(extension);
    const [row] = await listHandOvers(cluster, NAME.kept, NEVER);
    expect(row).toMatchObject({ name: BACKUP.extension, namespace: 'ops', subscription: 'gadget', step });
    expect(row?.message).toContain(step === 'Done' ? 'is handed over' : 'slipway adopt undo gadget --from olm-v1');
  });

  test.each([
    { because: 'the list of its way back is kept', isKept: true, extension: NO_MARK },
    { because: 'OLM is offered it', isKept: false, extension: OFFER },
  ])('is not the next one to be handed over by --all: $because', async ({ isKept, extension }) => {
    if (isKept) await keepList();
    cluster.put(extension);
    const { next, rest } = await nextExtension(cluster, { kept: NAME.kept, signal: NEVER }, () => false);
    expect(next).toBeUndefined();
    expect(rest).toMatchObject([{ name: 'gadget', state: 'refused' }]);
    expect(rest[0]?.message).toContain('slipway adopt undo gadget --from olm-v1');
  });
});
