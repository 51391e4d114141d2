/**
 * What a person may do, as the API server says: SelfSubjectAccessReview in the name of that person. Answers are
 * remembered for seconds and bounded in number, so that many browsers of one person cost the API server no more than
 * one; a right that was taken away ends within those seconds, also on streams that are open.
 */
import { createSlots, type Slots } from '../../apply/slots.ts';
import { systemClock, type Clock } from '../../kube/clock.ts';
import type { Access, Client } from '../../kube/client/client.ts';
import { keyOfPerson, type Person } from './person.ts';

/** A client that acts as a person. */
export type ActAs = (person: Person) => Pick<Client, 'allows'>;

export interface RightsOptions {
  readonly actAs: ActAs;
  readonly clock?: Clock;
  /** How long an answer counts. */
  readonly seconds?: number;
  readonly mostRemembered?: number;
}

/** With the interval at which open streams ask again, half a minute. */
const SECONDS = 15;
const MOST_REMEMBERED = 20_000;
/** Reviews at the API server at a time, of all persons. */
const PARALLEL = 16;

export class PersonRights {
  readonly #actAs: ActAs;
  readonly #clock: Clock;
  readonly #seconds: number;
  readonly #most: number;
  readonly #slots: Slots = createSlots(PARALLEL);
  readonly #known = new Map<string, { readonly answer: Promise<boolean | undefined>; readonly until: number }>();

  constructor({ actAs, clock = systemClock, seconds = SECONDS, mostRemembered = MOST_REMEMBERED }: RightsOptions) {
    this.#actAs = actAs;
    this.#clock = clock;
    this.#seconds = seconds;
    this.#most = mostRemembered;
  }

  /**
   * Whether the person has the right; undefined if the API server does not let them ask. @throws ApiError if the API
   * server cannot be asked; the failure is not remembered
   */
  async may(person: Person, access: Access, signal?: AbortSignal): Promise<boolean | undefined> {
    const key = JSON.stringify([keyOfPerson(person), access]);
    const known = this.#known.get(key);
    const isFresh = known !== undefined && known.until > this.#clock.now();
    const answer = isFresh ? known.answer : this.#ask(key, person, access);
    return signal === undefined ? answer : raced(answer, signal);
  }

  /** The answers to several questions, in their order. */
  async mayAll(
    person: Person,
    accesses: readonly Access[],
    signal?: AbortSignal,
  ): Promise<readonly (boolean | undefined)[]> {
    return Promise.all(accesses.map((access) => this.may(person, access, signal)));
  }

  #ask(key: string, person: Person, access: Access): Promise<boolean | undefined> {
    const answer = this.#slots(() => this.#actAs(person).allows(access));
    this.#known.delete(key);
    this.#known.set(key, { answer, until: this.#clock.now() + this.#seconds });
    answer.catch(() => this.#forget(key, answer));
    if (this.#known.size > this.#most) this.#known.delete(this.#known.keys().next().value as string);
    return answer;
  }

  #forget(key: string, answer: Promise<unknown>): void {
    if (this.#known.get(key)?.answer === answer) this.#known.delete(key);
  }
}

/** One caller that goes away does not end the review for the others. */
async function raced<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const gone = Promise.withResolvers<never>();
  const leave = (): void => gone.reject(signal.reason as Error);
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([answer, gone.promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
