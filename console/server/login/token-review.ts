/** Whose token it is, as the API server says. Answers are remembered for a moment, and bounded. */
import { createHash } from 'node:crypto';
import { ReasonedError } from '../../../api/errors.ts';
import { fieldsOf } from '../../../api/untyped.ts';
import { systemClock, type Clock } from '../../../kube/clock.ts';
import type { Transport } from '../../../kube/transport/transport.ts';
import { parsePerson, type Person } from '../person.ts';

/** A token that is revoked is good for so long. */
const REMEMBERED_SECONDS = 30;
const MOST_REMEMBERED = 1000;
/** Reviews at a time: tokens that are made up cost the API server no more than that. */
const MOST_REVIEWS = 8;
const MOST_TOKEN = 8192;
const REVIEW_SECONDS = 5;

export interface TokenReviewOptions {
  /** With the credentials of the console itself. */
  readonly transport: Pick<Transport, 'request'>;
  readonly clock?: Clock;
}

export class TokenReviews {
  readonly #transport: Pick<Transport, 'request'>;
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly person: Person | undefined; readonly until: number }>();
  #underWay = 0;

  constructor({ transport, clock = systemClock }: TokenReviewOptions) {
    this.#transport = transport;
    this.#clock = clock;
  }

  /** The person, exactly as the API server reports; undefined for a token that it does not accept. @throws ApiError, and ReasonedError ApiUnavailable if too many are reviewed */
  async personOf(token: string): Promise<Person | undefined> {
    if (!/^[\w.~+/-]+=*$/.test(token) || token.length > MOST_TOKEN) return undefined;
    const key = createHash('sha256').update(token).digest('base64');
    const known = this.#known.get(key);
    if (known !== undefined && known.until > this.#clock.now()) return known.person;
    const person = await this.#review(token);
    this.#known.delete(key);
    this.#known.set(key, { person, until: this.#clock.now() + REMEMBERED_SECONDS });
    if (this.#known.size > MOST_REMEMBERED) this.#known.delete(this.#known.keys().next().value as string);
    return person;
  }

  async #review(token: string): Promise<Person | undefined> {
    if (this.#underWay >= MOST_REVIEWS) throw tooMany();
    this.#underWay += 1;
    try {
      return parseReview(await reviewToken(this.#transport, token));
    } finally {
      this.#underWay -= 1;
    }
  }
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

function tooMany(): ReasonedError {
  const facts = { reason: 'ApiUnavailable', retry: 'backoff' } as const;
  return new ReasonedError({ ...facts, message: 'too many people log in at this moment', hint: 'Try again' });
}
