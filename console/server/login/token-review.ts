/** Whose token it is, as the API server says. Answers are remembered for a moment, and bounded. */
import { createHash } from 'node:crypto';
import { SharedSlots, type FullSlots } from '../../../apply/shared-slots.ts';
import { createSlots, type Slots } from '../../../apply/slots.ts';
import { fieldsOf } from '../../../api/untyped.ts';
import { systemClock, type Clock } from '../../../kube/clock.ts';
import type { Transport } from '../../../kube/transport/transport.ts';
import { parsePerson, type Person } from '../person.ts';

/** A token that is revoked is good for so long. */
const REMEMBERED_SECONDS = 30;
const MOST_REMEMBERED = 1000;
/**
 * Reviews for logins: tokens that are made up cost the API server no more than `all` at a time, and hold up those who log in from
 * the same address alone. Behind a proxy all people have one address. So many wait from many addresses that the last of them is
 * answered within some seconds.
 */
const LOGINS = { all: 8, share: 2, mostWaiting: 16, allWaiting: 256 };
/** The same for sessions, whose tokens the API server has accepted before: they wait for each other. */
const MOST_OF_SESSIONS = 8;
const MOST_TOKEN = 8192;
const REVIEW_SECONDS = 5;

export interface TokenReviewOptions {
  /** With the credentials of the console itself. */
  readonly transport: Pick<Transport, 'request'>;
  readonly clock?: Clock;
}

type Review = Promise<Person | undefined>;

/** State: the answers that are remembered, and the reviews that are under way. Requests for one token share a review. */
export class TokenReviews {
  readonly #transport: Pick<Transport, 'request'>;
  readonly #clock: Clock;
  readonly #slots: Slots = createSlots(MOST_OF_SESSIONS);
  readonly #shares = new SharedSlots(LOGINS);
  /** Of sessions; of logins those that succeeded. */
  readonly #known = new Map<string, { readonly person: Review; until: number }>();
  readonly #logins = new Map<string, Review>();

  constructor({ transport, clock = systemClock }: TokenReviewOptions) {
    this.#transport = transport;
    this.#clock = clock;
  }

  /**
   * The person of a token that was pasted, exactly as the API server reports; undefined if it does not accept the
   * token, which is not remembered. A word if too many wait: `holder` from this client, `all` from all of them.
   *
   * @param client From which the request comes, by `clientOfAddress`
   * @throws ApiError
   */
  async admit(token: string, client: string): Promise<Person | FullSlots | undefined> {
    if (!isToken(token)) return undefined;
    const key = keyOf(token);
    const known = this.#logins.get(key);
    if (known !== undefined) return known;
    const full = this.#shares.whyFull(client);
    if (full !== undefined) return full;
    const review = this.#reviewOnce(key, token, client);
    this.#logins.set(key, review);
    const person = await review;
    if (person !== undefined) void this.#remember(key, review);
    return person;
  }

  /** The person of a token that was admitted before; undefined if the API server no longer accepts it. @throws ApiError */
  async personOf(token: string): Review {
    const key = keyOf(token);
    const known = this.#known.get(key);
    if (known !== undefined && known.until > this.#clock.now()) return known.person;
    return this.#remember(
      key,
      this.#slots(() => this.#review(token)),
    );
  }

  /** From the answer on for a while; a failure is forgotten at once. */
  #remember(key: string, person: Review): Review {
    const entry = { person, until: Infinity };
    this.#known.delete(key);
    this.#known.set(key, entry);
    if (this.#known.size > MOST_REMEMBERED) this.#known.delete(this.#known.keys().next().value as string);
    void person.then(
      () => (entry.until = this.#clock.now() + REMEMBERED_SECONDS),
      () => this.#known.get(key) === entry && this.#known.delete(key),
    );
    return person;
  }

  async #reviewOnce(key: string, token: string, client: string): Review {
    try {
      return await this.#shares.run(client, () => this.#review(token));
    } finally {
      this.#logins.delete(key);
    }
  }

  async #review(token: string): Review {
    return parseReview(await reviewToken(this.#transport, token));
  }
}

function isToken(text: string): boolean {
  return /^[\w.~+/-]+=*$/.test(text) && text.length <= MOST_TOKEN;
}

function keyOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

async function reviewToken(transport: Pick<Transport, 'request'>, token: string): Promise<unknown> {
  const answer = await transport.request({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } }),
    subject: 'create TokenReview',
    timeoutSeconds: REVIEW_SECONDS,
    idempotent: true,
  });
  return JSON.parse(answer.text());
}

function parseReview(answer: unknown): Person | undefined {
  const status = fieldsOf(fieldsOf(answer)['status']);
  return status['authenticated'] === true ? parseUser(status['user']) : undefined;
}

/** `UserInfo` of the API server, with nothing left out: an extra that is dropped could be one that limits. */
function parseUser(info: unknown): Person | undefined {
  const { username, uid, groups = [], extra = {} } = fieldsOf(info);
  return parsePerson({
    user: username,
    ...(typeof uid === 'string' && uid !== '' && { uid }),
    groups,
    extra,
  });
}
