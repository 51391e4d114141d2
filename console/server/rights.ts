/**
 * What a person may do, as the API server says: SelfSubjectAccessReview in the name of that person. Answers are
 * remembered for seconds and bounded in number, so that many browsers of one person cost the API server no more than
 * one; a right that was taken away ends within those seconds, also on streams that are open.
 */
import { untilAborted } from '../../api/until-aborted.ts';
import { SharedSlots } from '../../apply/shared-slots.ts';
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
/** Reviews at the API server at a time, of all persons and of one. */
const PARALLEL = 16;
const PARALLEL_OF_PERSON = 4;
/** The part of all remembered answers that one person has if others need room. */
const SHARE_OF_PERSON = 0.1;

export class PersonRights {
  readonly #actAs: ActAs;
  readonly #clock: Clock;
  readonly #seconds: number;
  readonly #most: number;
  readonly #shares = new SharedSlots({ share: PARALLEL_OF_PERSON, all: PARALLEL });
  /** By user and question; the oldest first. */
  readonly #known = new Map<string, Map<string, KnownAnswer>>();
  #count = 0;

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
    const known = this.#known.get(person.user)?.get(key);
    const isFresh = known !== undefined && known.until > this.#clock.now();
    // One caller that goes away does not end the review for the others.
    return untilAborted(() => (isFresh ? known.answer : this.#ask(key, person, access)), signal);
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
    const answer = this.#shares.run(person.user, () => this.#actAs(person).allows(access));
    this.#forget(person.user, key);
    const own = this.#known.get(person.user) ?? new Map<string, KnownAnswer>();
    this.#known.set(person.user, own.set(key, { answer, until: this.#clock.now() + this.#seconds }));
    this.#count += 1;
    answer.catch(() => {
      if (this.#known.get(person.user)?.get(key)?.answer === answer) this.#forget(person.user, key);
    });
    if (this.#count > this.#most) this.#makeRoom(person.user);
    return answer;
  }

  /** A person with more than their share gives up their own oldest answer; else the person whose answers are oldest does. */
  #makeRoom(user: string): void {
    const own = this.#known.get(user);
    const isGreedy = own !== undefined && own.size > this.#most * SHARE_OF_PERSON;
    const [first] = isGreedy ? [user] : this.#known.keys();
    const [key] = (first === undefined ? undefined : this.#known.get(first))?.keys() ?? [];
    if (first !== undefined && key !== undefined) this.#forget(first, key);
  }

  #forget(user: string, key: string): void {
    const own = this.#known.get(user);
    if (own?.delete(key) !== true) return;
    this.#count -= 1;
    if (own.size === 0) this.#known.delete(user);
  }
}

interface KnownAnswer {
  readonly answer: Promise<boolean | undefined>;
  readonly until: number;
}
