/** Cookies that scripts cannot read and other sites cannot send. A value that is too long for one is in several. */
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

export interface CookieFacts {
  readonly name: string;
  /** Whether browsers reach the console by TLS; the name then says that it is of this host alone. */
  readonly isSecure: boolean;
  /** `Lax` only for a cookie that must come along when another site leads back here. */
  readonly sameSite: 'Strict' | 'Lax';
}

/** Browsers keep 4,096 bytes of a cookie, its name and attributes among them. */
const PART = 3800;
/** Servers and proxies take 16 KiB of headers, or 8. */
const MOST_PARTS = 2;

/** Whether the value is short enough to be kept. */
export function fitsCookies(value: string): boolean {
  return value.length <= PART * MOST_PARTS;
}

export function putCookie(context: Context, facts: CookieFacts, value: string, seconds: number): void {
  for (let part = 0; part < MOST_PARTS; part++) {
    const piece = value.slice(part * PART, (part + 1) * PART);
    if (piece === '') removePart(context, facts, part);
    else setCookie(context, nameOf(facts, part), piece, { ...attributesOf(facts), maxAge: Math.floor(seconds) });
  }
}

export function readCookie(context: Context, facts: CookieFacts): string | undefined {
  const parts: string[] = [];
  for (let part = 0; part < MOST_PARTS; part++) {
    const piece = getCookie(context, nameOf(facts, part));
    if (piece === undefined) break;
    parts.push(piece);
  }
  return parts.length === 0 ? undefined : parts.join('');
}

export function removeCookie(context: Context, facts: CookieFacts): void {
  for (let part = 0; part < MOST_PARTS; part++) removePart(context, facts, part);
}

/** Whether the browser has the part is not known: a strict cookie stays behind if another site leads here. */
function removePart(context: Context, facts: CookieFacts, part: number): void {
  deleteCookie(context, nameOf(facts, part), attributesOf(facts));
}

function nameOf({ name, isSecure }: CookieFacts, part: number): string {
  return `${isSecure ? '__Host-' : ''}${name}${part === 0 ? '' : `-${part}`}`;
}

function attributesOf({ isSecure, sameSite }: CookieFacts) {
  return { path: '/', httpOnly: true, secure: isSecure, sameSite };
}
