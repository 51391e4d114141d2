import { NEVER } from '../../api/testing/never.ts';
import { expect, it } from 'vitest';
import { refOf, type KubeObject } from '../../api/object.ts';
import { eachObservation } from '../../apply/testing/each-observation.ts';
import { waitUntilGone } from '../../apply/wait.ts';
import { observeManaged } from './observe-managed.ts';

const object: KubeObject = { apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'a', name: 'x', uid: 'u' } };

it('a wait by the watches ends with the awaited change, and sends no request', async () => {
  const listeners = new Set<(object: KubeObject) => void>();
  let held: KubeObject | undefined = object;
  const observe = observeManaged({
    get: () => held,
    onChange: (listener) => (listeners.add(listener), () => void listeners.delete(listener)),
  });
  const seen: number[] = [];
  const waiting = waitUntilGone([refOf(object)], {
    signal: NEVER,
    observe: eachObservation(observe, (objects) => void seen.push(objects.filter((one) => one.object).length)),
    deadlineSeconds: 60,
  });
  await expect.poll(() => listeners.size).toBe(1);
  held = undefined;
  listeners.forEach((listener) => listener({ ...object, metadata: { ...object.metadata, name: 'another' } }));
  listeners.forEach((listener) => listener(object));
  expect(await waiting).toEqual([]);
  expect([seen, listeners.size]).toEqual([[1, 0], 0]);
});
