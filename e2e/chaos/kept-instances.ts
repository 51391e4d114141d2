/** Watches the custom resources of people in a soak: an uninstall that retains them, and an upgrade, delete none. */
import { judgeKept } from './invariants.ts';
import type { Person } from './person.ts';

export class KeptInstances {
  readonly #persons: readonly Person[];
  /** The operators whose custom resource a person has deleted since it was last seen. */
  readonly #deleted = new Set<string>();
  /** The uids at the last look. */
  #before: ReadonlyMap<string, string> = new Map();

  constructor(persons: readonly Person[]) {
    this.#persons = persons;
  }

  /** The same persons; that they delete a custom resource is noted before the request. */
  persons(): readonly Person[] {
    return this.#persons.map((person) => ({
      ...person,
      deleteInstance: async () => {
        const { name } = person.operator;
        const wasNoted = this.#deleted.has(name);
        this.#deleted.add(name);
        await person.deleteInstance().catch((error: unknown) => {
          // A second deletion finds nothing, and takes nothing from the first.
          if (!wasNoted) this.#deleted.delete(name);
          throw error;
        });
      },
    }));
  }

  /** The losses since the last look. */
  async look(): Promise<readonly string[]> {
    const seen = await Promise.all(
      this.#persons.map(async (person) => [person.operator.name, await person.findInstance()] as const),
    );
    const now = new Map(seen.filter((one): one is [string, string] => one[1] !== undefined));
    const lost = judgeKept({ before: this.#before, now }, this.#deleted);
    for (const [name, uid] of this.#before) if (now.get(name) !== uid) this.#deleted.delete(name);
    this.#before = now;
    return lost;
  }
}
