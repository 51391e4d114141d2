/** The session cookie of a browser: put, read, and ended, for every way in that has sessions. */
import { createHash } from 'node:crypto';
import { ReasonedError } from '../../../api/errors.ts';
import type { Person } from '../person.ts';
import { fitsCookies, putCookie, readCookie, removeCookie, type CookieFacts } from './cookies.ts';
import type { ConsoleContext, Visitor, WayIn } from './login.ts';
import type { Session, Sessions } from './session.ts';

export interface OwnSessionOptions {
  readonly sessions: Sessions;
  readonly cookie: CookieFacts;
  readonly canLogOut: boolean;
  /** Called when a session ends before its time. */
  readonly onLogOut?: (session: string) => void;
}

/** A session that starts now, and its limits. */
export interface StartOptions {
  readonly token?: string;
  /** Milliseconds since 1970. */
  readonly expires?: number;
}

export class OwnSession {
  readonly #options: OwnSessionOptions;

  constructor(options: OwnSessionOptions) {
    this.#options = options;
  }

  /** Starts a session in place of any that the browser has. @throws ReasonedError InputInvalid, not retried, for a person with too many groups */
  async start(context: ConsoleContext, person: Person, start: StartOptions = {}): Promise<void> {
    const { sessions, cookie } = this.#options;
    const before = await this.read(context);
    if (before !== undefined) sessions.revoke(before);
    const { session, sealed } = await sessions.open(person, start);
    if (!fitsCookies(sealed)) throw tooLarge(person, start.token);
    putCookie(context, cookie, sealed, (session.expires - Date.now()) / 1000);
  }

  async read(context: ConsoleContext): Promise<Session | undefined> {
    const sealed = readCookie(context, this.#options.cookie);
    return sealed === undefined ? undefined : this.#options.sessions.read(sealed);
  }

  visitorOf(session: Session, way: WayIn, isValid: () => Promise<boolean> = async () => true): Visitor {
    const { sessions, canLogOut } = this.#options;
    return {
      person: session.person,
      way,
      csrf: csrfOf(session),
      canLogOut,
      session: session.id,
      isValid: async () => sessions.isOpen(session) && isValid(),
    };
  }

  async end(context: ConsoleContext): Promise<void> {
    const { sessions, cookie, onLogOut } = this.#options;
    const session = await this.read(context);
    removeCookie(context, cookie);
    if (session === undefined) return;
    sessions.revoke(session);
    onLogOut?.(session.id);
  }
}

/** Scripts never see the id, which is in the encrypted cookie alone. */
function csrfOf({ id }: Session): string {
  return createHash('sha256').update(`csrf ${id}`).digest('base64url');
}

/** Names the part that takes the most place. */
function tooLarge({ groups, extra = {} }: Person, token = ''): ReasonedError {
  const facts = { reason: 'InputInvalid', retry: 'never' } as const;
  const [ofGroups, ofExtra] = [JSON.stringify(groups).length, JSON.stringify(extra).length];
  if (token.length > Math.max(ofGroups, ofExtra))
    return new ReasonedError({
      ...facts,
      message: `the token is too long for a session: it has ${token.length} characters`,
      hint: 'Make a token of a ServiceAccount by kubectl create token, or log in by an issuer',
    });
  const part = ofGroups >= ofExtra ? `${groups.length} groups` : 'extra fields';
  return new ReasonedError({
    ...facts,
    message: `the ${part} of the person are too many for a session`,
    hint: 'Have the issuer put fewer into its tokens: those that rights in this cluster are bound to',
  });
}
