/**
 * The way in behind a proxy that has logged the person in already: it names the person in headers. They count only if the
 * proxy itself has proven that it is the proxy, by its certificate or by a secret; from anyone else they are ignored.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { parsePerson, reservedNames, type Person } from '../person.ts';
import type { ConsoleContext, Login, Visitor } from './login.ts';
import { loginPage } from './page.ts';

export interface ProxyLoginOptions {
  readonly userHeader: string;
  /** Its values are separated by commas, or in several headers. */
  readonly groupsHeader: string;
  readonly trust: ProxyTrust;
  /** Secret of the console for texts that only it can make. */
  readonly secret: () => Promise<Uint8Array> | Uint8Array;
  /** Where the proxy ends the session of the browser; the console has none of its own. */
  readonly logOutAddress?: string;
}

export type ProxyTrust =
  /** The common name, or a DNS name, of the client certificate; its authority is checked by the server. */
  | { readonly by: 'certificate'; readonly names: readonly string[] }
  /** The proxy sends the secret in this header. */
  | { readonly by: 'secret'; readonly header: string; readonly secret: () => Promise<string> | string };

export function proxyLogin(options: ProxyLoginOptions): Login {
  return {
    async identify(context) {
      if (!(await isProxy(context, options.trust))) return undefined;
      const person = personOf(context, options);
      if (person === undefined) return undefined;
      return visitorOf(person, await options.secret(), options.logOutAddress !== undefined);
    },
    routes(app) {
      app.get('/login', (context) => context.html(loginPage(NO_PERSON), 403));
    },
    logOut: async () => options.logOutAddress ?? '/',
  };
}

const NO_PERSON = {
  message: 'The proxy before the console has named no person.',
  next: 'Reach the console through its proxy, and log in there.',
};

function visitorOf(person: Person, secret: Uint8Array, canLogOut: boolean): Visitor {
  const csrf = createHmac('sha256', secret).update(`csrf ${person.user}`).digest('base64url');
  return { person, way: 'proxy', csrf, canLogOut, isValid: async () => true };
}

async function isProxy({ env }: ConsoleContext, trust: ProxyTrust): Promise<boolean> {
  if (trust.by === 'secret') {
    const given = valuesOf(env.incoming.rawHeaders, trust.header);
    return given.length === 1 && isSame(given[0] ?? '', await trust.secret());
  }
  const socket = env.incoming.socket as TLSSocket;
  // Without TLS there is no such field.
  if (!('authorized' in socket) || !socket.authorized) return false;
  const { subject, subjectaltname = '' } = socket.getPeerCertificate();
  const names = new Set([subject?.CN, ...subjectaltname.split(', ').map((name) => name.replace(/^DNS:/, ''))].flat());
  return trust.names.some((name) => names.has(name));
}

/** A person whose header is there twice, or has the name of a part of the cluster, is no person. */
function personOf({ env }: ConsoleContext, { userHeader, groupsHeader }: ProxyLoginOptions): Person | undefined {
  const users = valuesOf(env.incoming.rawHeaders, userHeader);
  const groups = valuesOf(env.incoming.rawHeaders, groupsHeader)
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');
  const person = parsePerson({ user: users.length === 1 ? users[0]?.trim() : undefined, groups });
  return person !== undefined && reservedNames(person).length === 0 ? person : undefined;
}

/** The values of a header as they came, each one for itself; bytes are read as UTF-8. */
function valuesOf(rawHeaders: readonly string[], name: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== name.toLowerCase()) continue;
    values.push(Buffer.from(rawHeaders[at + 1] ?? '', 'latin1').toString());
  }
  return values;
}

function isSame(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return wanted !== '' && timingSafeEqual(digest(given), digest(wanted));
}
