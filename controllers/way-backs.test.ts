import { describe, expect, it } from 'vitest';
import { pack, WAY_BACK_KEY } from '../adoption/packed.ts';
import { ApiError } from '../api/api-error.ts';
import { API_VERSION } from '../api/names.ts';
import type { KubeObject } from '../api/object.ts';
import { NEVER } from '../api/testing/never.ts';
import type { AskForBackups } from './kept-backups.ts';
import { createWayBacks, type AskWayBack } from './way-backs.ts';

const KEPT = 'slipway-system';
const GADGET = { namespace: 'ops', name: 'gadget', package: 'gadget-operator' };

/** The backup of an operator on its way back to OLM v1. */
const BEGUN: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'slipway-adoption-v1.gadget', namespace: KEPT },
  data: {
    'backup.json.gz': pack({
      extension: 'gadget',
      wanted: {
        apiVersion: API_VERSION,
        kind: 'Subscription',
        metadata: { namespace: GADGET.namespace, name: GADGET.name },
        spec: { package: GADGET.package },
      },
    }),
    [WAY_BACK_KEY]: pack([]),
  },
};

class Scene {
  backups: readonly KubeObject[] = [];
  refused: Error | undefined;
  requests = 0;
  seconds = 0;
  readonly #ask: AskWayBack;

  constructor(mayHaveBackups?: AskForBackups) {
    this.#ask = createWayBacks(
      {
        list: () => {
          this.requests += 1;
          return this.refused === undefined ? Promise.resolve(this.backups) : Promise.reject(this.refused);
        },
      },
      { kept: KEPT, ...(mayHaveBackups !== undefined && { mayHaveBackups }), clock: () => this.seconds * 1000 },
    );
  }

  async isBegun(removed = GADGET): Promise<boolean> {
    return (await this.#ask(removed, NEVER)) !== undefined;
  }
}

describe('whether an operator is on its way back', () => {
  it('is asked once for a Subscription and its Revisions if it is not', async () => {
    const scene = new Scene();
    for (let asked = 0; asked < 3; asked += 1) expect(await scene.isBegun()).toBe(false);
    expect(scene.requests).toBe(1);
  });

  it('is asked again after half a second, and for another Subscription', async () => {
    const scene = new Scene();
    await scene.isBegun();
    scene.backups = [BEGUN];
    expect(await scene.isBegun({ ...GADGET, name: 'other' })).toBe(false);
    scene.seconds = 0.5;
    expect(await scene.isBegun()).toBe(true);
    expect(scene.requests).toBe(3);
  });

  it('is asked of the few with a backup only', async () => {
    const scene = new Scene(async (subscription) => subscription === GADGET.name);
    scene.backups = [BEGUN];
    expect(await scene.isBegun({ ...GADGET, name: 'other' })).toBe(false);
    expect(scene.requests).toBe(0);
    expect(await scene.isBegun()).toBe(true);
  });

  it('is asked each time while it is: a person may end it at any time', async () => {
    const scene = new Scene();
    scene.backups = [BEGUN];
    expect([await scene.isBegun(), await scene.isBegun()]).toEqual([true, true]);
    scene.backups = [];
    expect(await scene.isBegun()).toBe(false);
  });

  it('is not known after an error, and is never so for a manager that may not read the backups', async () => {
    const scene = new Scene();
    scene.refused = new Error('the connection is gone');
    await expect(scene.isBegun()).rejects.toThrow('the connection is gone');
    scene.refused = new ApiError('secrets', { code: 403, reason: 'Forbidden', causes: [] });
    expect(await scene.isBegun({ ...GADGET, name: 'other' })).toBe(false);
    scene.refused = undefined;
    scene.backups = [BEGUN];
    expect(await scene.isBegun()).toBe(true);
  });
});
