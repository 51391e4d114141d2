import { expect, test } from 'vitest';
import { sampleCrd } from '../../apply/testing/sample-objects.ts';
import type { KubeObject } from '../../api/object.ts';
import { createPhaseWaits } from './await-phase.ts';

const never = new AbortController().signal;
const crd = (metadata: object, established: boolean): KubeObject => {
  const bare = sampleCrd('Widget');
  const status = { conditions: [{ type: 'Established', status: established ? 'True' : 'False' }] };
  return { ...bare, metadata: { ...bare.metadata, uid: 'u1', ...metadata }, status };
};

/** A watch with one object and its later states. */
function watching(first: KubeObject | undefined) {
  let known = first;
  const listeners = new Set<(object: KubeObject) => void>();
  return {
    get: () => known,
    onChange(listener: (object: KubeObject) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    see(object: KubeObject) {
      known = object;
      for (const listener of listeners) listener(object);
    },
    listeners,
  };
}

test('a roll-out waits for a phase until the watch shows that its objects work', async () => {
  const watch = watching(crd({ generation: 1 }, false));
  const waited = createPhaseWaits(watch, () => 600).of(never)('crds', [crd({ generation: 1 }, false)]);
  watch.see(crd({ generation: 1 }, true));
  expect(await waited).toEqual([]);
  expect(watch.listeners.size).toBe(0);
});

test('the state before the write is not taken for the state of the written object', async () => {
  const watch = watching(crd({ generation: 1 }, true));
  const unready = await createPhaseWaits(watch, () => 0).of(never)('crds', [crd({ generation: 2 }, false)]);
  expect(unready).toHaveLength(1);
});

test('an object that takes longer is reported, with its known state', async () => {
  const watch = watching(crd({ generation: 1 }, false));
  const unready = await createPhaseWaits(watch, () => 0).of(never)('crds', [crd({ generation: 1 }, false)]);
  expect(unready.map(({ ref, health }) => [ref.name, health.state])).toEqual([['widgets.example.com', 'Progressing']]);
});

test('only a few roll-outs wait at the same time: the others continue when a watch reports a change', async () => {
  const watch = watching(crd({ generation: 1 }, false));
  const waits = createPhaseWaits(watch, () => 600);
  const wait = (): Promise<readonly unknown[]> => waits.of(never)('crds', [crd({ generation: 1 }, false)]);
  const patient = Array.from({ length: 8 }, wait);
  expect(await wait()).toHaveLength(1);
  watch.see(crd({ generation: 1 }, true));
  expect((await Promise.all(patient)).flat()).toEqual([]);
});
