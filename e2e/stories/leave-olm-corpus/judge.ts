/**
 * Judges a hand-over from outside: a watch on every kind that operators have, and calls as their users and their
 * ServiceAccounts make them, again and again. It knows nothing of the way in which operators are handed over.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { HOLD, OLM } from '../../../adoption/olm-v0/kinds.ts';
import type { Kind, KubeObject } from '../../../api/object.ts';
import type { Client } from '../../../kube/client/client.ts';
import type { Probe } from './probe.ts';
import { isManagedByOlm, Witness, WATCHED } from './witness.ts';

const PROBE_EVERY_MS = 50;
/** Calls of a round for operators that are not handed over at the moment. */
const OTHERS = 8;

/** The facts in which the versions of OLM differ. */
export interface VersionOfOlm {
  /** The kind of the objects that are held while their operator is handed over. */
  readonly held: Kind;
  /** Whether an object that exists at the beginning is one of an operator. */
  readonly isOfOperator: (object: KubeObject) => boolean;
}

const OLM_V0: VersionOfOlm = { held: OLM.csv, isOfOperator: isManagedByOlm };

export interface Judgement {
  /** Sentences about harm that the watch has seen. */
  readonly harm: readonly string[];
  /** Calls that failed. */
  readonly failures: readonly string[];
  readonly calls: number;
  readonly events: number;
}

/** Watches and calls from `begin` until `end`. */
export class Judge {
  readonly #client: Client;
  readonly #probes: readonly Probe[];
  readonly #over = new AbortController();
  readonly #witness: Witness;
  readonly #heldKind: Kind;
  readonly #failures = new Map<string, number>();
  #calls = 0;
  /** Name of the object that was held last. */
  #held: string | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    client: Client,
    probes: readonly Probe[],
    namespaces: readonly string[],
    { held, isOfOperator }: VersionOfOlm = OLM_V0,
  ) {
    this.#client = client;
    this.#probes = probes;
    this.#heldKind = held;
    this.#witness = new Witness(namespaces, isOfOperator);
  }

  /** Resolves when every kind is watched. */
  async begin(): Promise<void> {
    const watches = await Promise.all(
      [...WATCHED, this.#heldKind].map(async (kind) => {
        const { items, resourceVersion } = await this.#client.listPage(kind, {});
        for (const object of items) this.#witness.begin(object);
        return { kind, resourceVersion };
      }),
    );
    const running = watches.map(async ({ kind, resourceVersion }) => {
      for await (const { type, object } of this.#client.watch(kind, { resourceVersion }, this.#over.signal)) {
        if (type === 'BOOKMARK') continue;
        if (type === 'ERROR') throw new Error(`the watch of ${kind.kind} has failed`);
        if (kind === this.#heldKind) this.#note(object);
        else this.#witness.see(type, object);
      }
      this.#over.signal.throwIfAborted();
      throw new Error(`the watch of ${kind.kind} has ended early`);
    });
    this.#running = Promise.all(
      [...running, this.#call()].map((one) => one.catch((error: unknown) => this.#end(error))),
    );
    this.#running.catch(() => undefined); // an error is thrown by `end`
  }

  async end(): Promise<Judgement> {
    this.#over.abort(new Error('the watch has ended'));
    await this.#running;
    const failures = [...this.#failures].map(([text, times]) => `${text} (${times} times)`);
    return { harm: this.#witness.harm(), failures, calls: this.#calls, events: this.#witness.events };
  }

  #end(error: unknown): void {
    if (!this.#over.signal.aborted) throw error;
  }

  #note({ metadata }: KubeObject): void {
    if (metadata.finalizers?.includes(HOLD) === true) this.#held = metadata.name;
  }

  async #call(): Promise<void> {
    for (let round = 0; !this.#over.signal.aborted; round += 1) {
      const near = this.#probes.filter(({ operator }) => operator === this.#held);
      const far = this.#probes.filter((_probe, at) => at % Math.ceil(this.#probes.length / OTHERS) === round % Math.ceil(this.#probes.length / OTHERS)); // prettier-ignore
      for (const probe of new Set([...near, ...far])) await this.#ask(probe);
      await delay(PROBE_EVERY_MS);
    }
  }

  async #ask({ name, ask }: Probe): Promise<void> {
    this.#calls += 1;
    try {
      await ask();
    } catch (error) {
      const text = `${name}: ${error instanceof Error ? error.message : String(error)}`;
      this.#failures.set(text, (this.#failures.get(text) ?? 0) + 1);
    }
  }
}
