/**
 * Writes the records of records.ts with the client of the floor, for all operators at once: beside the floor they show
 * how near to it a manager can come that may be killed at any moment.
 */
import { groupKind, type DefinedKind, type KubeObject } from '../../api/object.ts';
import { createSlots } from '../../apply/slots.ts';
import { FLOOR_CONNECTIONS, type FloorClient } from './floor-client.ts';
import { intentOf, outcomeOf, recordsOf, type Recorded, type RecordObjects } from './records.ts';
import type { Stage } from './stage.ts';

interface Known extends RecordObjects {
  readonly recorded: Recorded;
}

/** The records of one run of the floor. */
export class FloorRecords {
  readonly #client: FloorClient;
  readonly #stage: Pick<Stage, 'admin' | 'warmUp'>;
  readonly #written = new Map<string, Known[]>();

  constructor(client: FloorClient, stage: Pick<Stage, 'admin' | 'warmUp'>) {
    this.#client = client;
    this.#stage = stage;
  }

  /**
   * Writes and deletes the records of the warm-up: the first write of a kind after the API server has started takes
   * seconds, which are not to be measured.
   */
  async prepare(): Promise<void> {
    const { name, from } = this.#stage.warmUp;
    const recorded = { name, version: from.version, number: 1, objects: [] };
    await this.before([recorded], []);
    await this.after([recorded]);
    await this.around([], async () => {});
    this.#written.clear();
  }

  /**
   * Before the first object is written: stores the manifests while the Revision before is archived, creates the next
   * one, and then notes the inventory while the objects to write are tried.
   */
  async before(recorded: readonly Recorded[], toWrite: readonly KubeObject[]): Promise<void> {
    const next = recorded.map((one) => ({ ...recordsOf(one), recorded: one }));
    const replaced = recorded.flatMap(({ name }) => this.#written.get(name)?.at(-1) ?? []);
    await this.#each([
      ...next.map(
        ({ secret }) =>
          () =>
            this.#create(secret),
      ),
      ...replaced.map(
        ({ revision }) =>
          () =>
            this.#patch(revision, { spec: { state: 'Archived' } }),
      ),
    ]);
    await this.#each(
      next.map(
        ({ revision }) =>
          () =>
            this.#create(revision),
      ),
    );
    await this.#each([
      ...next.map((one) => () => this.#patch(one.revision, { status: intentOf(one.recorded) })),
      ...toWrite.filter(isTried).map((object) => () => this.#try(object)),
    ]);
    for (const one of next) this.#written.set(one.recorded.name, [...this.#of(one.recorded.name), one]);
  }

  /** Once all objects of the last version work. */
  async after(recorded: readonly Recorded[]): Promise<void> {
    const last = recorded.flatMap(({ name }) => this.#of(name).at(-1) ?? []);
    const now = new Date();
    await this.#each(last.map((one) => () => this.#patch(one.revision, { status: outcomeOf(one.recorded, now) })));
  }

  /**
   * Notes that the removal has begun, and asks meanwhile whether custom resources exist; deletes the manifests while
   * `work` deletes the objects, and releases the Revisions. `work` is given a function that asks once more, and calls it
   * before it deletes CRDs: custom resources that were created since would be lost with them.
   *
   * @throws Error if a custom resource exists: a manager would have to wait
   */
  async around(kinds: readonly DefinedKind[], work: (askAgain: () => Promise<void>) => Promise<void>): Promise<void> {
    const all = [...this.#written.values()].flat();
    const asked = kinds.map((kind) => () => this.#needNone(kind));
    await this.#each([
      ...all.map(
        ({ revision }) =>
          () =>
            this.#delete(revision),
      ),
      ...asked,
    ]);
    await Promise.all([
      work(() => this.#each(asked)),
      this.#each(
        all.map(
          ({ secret }) =>
            () =>
              this.#delete(secret),
        ),
      ),
    ]);
    await this.#each(
      all.map(
        ({ revision }) =>
          () =>
            this.#patch(revision, { metadata: { finalizers: null } }),
      ),
    );
  }

  #of(name: string): Known[] {
    return this.#written.get(name) ?? [];
  }

  async #each(tasks: readonly (() => Promise<unknown>)[]): Promise<void> {
    const slots = createSlots(FLOOR_CONNECTIONS);
    await Promise.all(tasks.map((task) => slots(task)));
  }

  async #create(object: KubeObject): Promise<unknown> {
    return this.#client.create(object, await this.#stage.admin.discovery.need(object));
  }

  async #try(object: KubeObject): Promise<unknown> {
    return this.#client.apply(object, await this.#stage.admin.discovery.need(object), { dryRun: true });
  }

  async #patch(object: KubeObject, change: object): Promise<unknown> {
    return this.#client.patch(object, await this.#stage.admin.discovery.need(object), change);
  }

  async #needNone(kind: DefinedKind): Promise<void> {
    if (await this.#client.hasAny(kind)) throw new Error(`a ${groupKind(kind)} exists before the removal`);
  }

  async #delete(object: KubeObject): Promise<unknown> {
    return this.#client.delete(object, await this.#stage.admin.discovery.need(object), 'Background');
  }
}

/** As the product does: a rejected CRD costs as much as an accepted one, and a binding needs its role. */
function isTried(object: KubeObject): boolean {
  return groupKind(object) !== 'CustomResourceDefinition.apiextensions.k8s.io' && !object.kind.endsWith('Binding');
}
