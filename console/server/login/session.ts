/**
 * Sessions without a store: the person is in a cookie that only the console can read or make. A session ends with its
 * time; one that was logged out is remembered by this process until then, so that its cookie is of no use to a thief.
 */
import { hkdfSync, randomBytes } from 'node:crypto';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import * as z from 'zod';
import { systemClock, type Clock } from '../../../kube/clock.ts';
import { parsePerson, type Person } from '../person.ts';

/** Secrets that cookies are encrypted with: the last one makes new cookies, all can read. By their names, in order. */
export type SessionKeys = () => ReadonlyMap<string, Uint8Array> | Promise<ReadonlyMap<string, Uint8Array>>;

const Sealed = z.strictObject({
  id: z.string().min(16).max(64),
  person: z.unknown(),
  token: z.string().max(8192).optional(),
});

/** A person who has logged in. */
export interface Session {
  readonly id: string;
  readonly person: Person;
  /** A token that was pasted: it is reviewed again and again, so that its end is the end of the session. */
  readonly token?: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

export interface SessionsOptions {
  readonly keys: SessionKeys;
  readonly seconds: number;
  readonly clock?: Clock;
}

/** What a sealed text is for: one that was made for another purpose cannot be read. */
type Purpose = 'session' | 'login';

const MOST_REVOKED = 10_000;
const KEY_BYTES = 32;

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #clock: Clock;
  /** By id: when each would have ended. */
  readonly #revoked = new Map<string, number>();

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** A new session; its id is made here and is never taken from a browser. */
  async open(
    person: Person,
    { token, expires }: { readonly token?: string; readonly expires?: number } = {},
  ): Promise<{
    readonly session: Session;
    readonly sealed: string;
  }> {
    const latest = this.#clock.wall() + this.#options.seconds * 1000;
    const id = randomBytes(24).toString('base64url');
    const content = { id, person, ...(token !== undefined && { token }) };
    const session = { ...content, expires: Math.min(latest, expires ?? latest) };
    return { session, sealed: await this.seal('session', content, session.expires) };
  }

  /** The session of a cookie; undefined if it has ended or was not made by this console. */
  async read(sealed: string): Promise<Session | undefined> {
    const found = await this.unseal('session', sealed);
    const parsed = Sealed.safeParse(found?.content);
    const person = parsePerson(parsed.data?.person);
    if (found === undefined || !parsed.success || person === undefined) return undefined;
    const { id, token } = parsed.data;
    if (this.#revoked.has(id)) return undefined;
    return { id, person, ...(token !== undefined && { token }), expires: found.expires };
  }

  /** Ends a session before its time. */
  revoke({ id, expires }: Session): void {
    const now = this.#clock.wall();
    for (const [known, end] of this.#revoked) if (end < now) this.#revoked.delete(known);
    this.#revoked.set(id, expires);
    if (this.#revoked.size > MOST_REVOKED) this.#revoked.delete(this.#revoked.keys().next().value as string);
  }

  isOpen({ id, expires }: Session): boolean {
    return expires > this.#clock.wall() && !this.#revoked.has(id);
  }

  /** An encrypted text that ends at a time. */
  async seal(purpose: Purpose, content: object, expires: number): Promise<string> {
    const [name, secret] = [...(await this.#options.keys())].at(-1) ?? noKey();
    return new EncryptJWT({ content })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: name })
      .setAudience(purpose)
      .setExpirationTime(Math.floor(expires / 1000))
      .encrypt(keyFrom(secret));
  }

  /** Undefined for a text that was changed, has ended, is for another purpose, or was made with a key that is gone. */
  async unseal(
    purpose: Purpose,
    sealed: string,
  ): Promise<{ readonly content: unknown; readonly expires: number } | undefined> {
    const keys = await this.#options.keys();
    try {
      const { payload } = await jwtDecrypt(sealed, ({ kid = '' }) => keyFrom(keys.get(kid) ?? unknownKey()), {
        audience: purpose,
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        requiredClaims: ['exp'],
        currentDate: new Date(this.#clock.wall()),
      });
      return { content: payload['content'], expires: (payload.exp ?? 0) * 1000 };
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
}

/** The secret itself may be of any length and have other uses. */
function keyFrom(secret: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), 'slipway console cookies', KEY_BYTES));
}

function unknownKey(): never {
  throw new errors.JWEDecryptionFailed('the key is gone');
}

function noKey(): never {
  throw new Error('there is no key to make sessions with');
}

/** A key of this process alone: its sessions end with it. */
export function ownKeys(): SessionKeys {
  const keys = new Map([['own', randomBytes(KEY_BYTES)]]);
  return () => keys;
}
