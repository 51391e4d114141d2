/** The ways in that have a page: by an issuer of identities, and by a token that is pasted. */
import { decodeJwt } from 'jose';
import { keyOfPerson, type Person } from '../person.ts';
import { problemOf, statusOfError } from '../problem.ts';
import type { ConsoleContext, Login, Visitor } from './login.ts';
import type { OidcClient } from './oidc-flow.ts';
import type { OwnSession } from './own-session.ts';
import { backPath, loginPage, type LoginPage } from './page.ts';
import type { TokenReviews } from './token-review.ts';

export interface InClusterLoginOptions {
  readonly session: OwnSession;
  readonly oidc?: OidcClient;
  /** Absent: no token can be pasted. */
  readonly tokens?: TokenReviews;
  /** Called with each login that fails for a reason that an administrator has to know. */
  readonly onFailure?: (error: unknown) => void;
}

export function inClusterLogin({ session, oidc, tokens, onFailure }: InClusterLoginOptions): Login {
  const ways: LoginPage = {
    ...(oidc !== undefined && { oidc: '/login/oidc' }),
    ...(tokens !== undefined && { token: '/login/token' }),
  };
  const refuse = (context: ConsoleContext, error: unknown): Response => {
    onFailure?.(error);
    const { message, next } = problemOf(error);
    return context.html(loginPage({ ...ways, message: `The login failed: ${message}`, next }), statusOfError(error));
  };

  return {
    identify: (context) => identify(context, { session, oidc, tokens }),
    routes(app) {
      app.get('/login', (context) => context.html(loginPage({ ...ways, back: backPath(context.req.query('back')) })));
      app.get('/login/oidc', async (context) => {
        if (oidc === undefined) return context.notFound();
        try {
          return await oidc.begin(context, backPath(context.req.query('back')));
        } catch (error) {
          return refuse(context, error);
        }
      });
      app.get('/login/callback', async (context) => {
        if (oidc === undefined) return context.notFound();
        try {
          const { person, back, expires } = await oidc.finish(context);
          await session.start(context, person, expires === undefined ? {} : { expires });
          return context.redirect(backPath(back), 303);
        } catch (error) {
          return refuse(context, error);
        }
      });
      app.post('/login/token', async (context) => {
        if (tokens === undefined) return context.notFound();
        try {
          return await pasted(context, session, tokens, ways);
        } catch (error) {
          return refuse(context, error);
        }
      });
    },
    async logOut(context) {
      await session.end(context);
      // The session has ended here in any case: an issuer that is away does not keep the browser from hearing of it.
      const address = await oidc?.endAddress().catch((error: unknown) => {
        onFailure?.(error);
        return undefined;
      });
      return address ?? '/login';
    },
  };
}

interface Ways {
  readonly session: OwnSession;
  readonly oidc: OidcClient | undefined;
  readonly tokens: TokenReviews | undefined;
}

/** A session counts only while its way in is open: the options may have changed since it began. */
async function identify(context: ConsoleContext, { session, oidc, tokens }: Ways): Promise<Visitor | undefined> {
  const found = await session.read(context);
  if (found === undefined) return undefined;
  const { token } = found;
  if (token === undefined) return oidc === undefined ? undefined : session.visitorOf(found, 'oidc');
  const person = await tokens?.personOf(token);
  if (person === undefined) return undefined;
  return session.visitorOf({ ...found, person }, 'token', async () => isStill(person, await tokens?.personOf(token)));
}

/** With other groups a stream would show the objects of another person. */
function isStill(person: Person, now: Person | undefined): boolean {
  return now !== undefined && keyOfPerson(now) === keyOfPerson(person);
}

async function pasted(
  context: ConsoleContext,
  session: OwnSession,
  tokens: TokenReviews,
  ways: LoginPage,
): Promise<Response> {
  const { token, back } = await context.req.parseBody();
  const text = typeof token === 'string' ? token.trim() : '';
  const to = backPath(typeof back === 'string' ? back : undefined);
  const person = await tokens.admit(text, context.env.incoming.socket.remoteAddress ?? '');
  const page = { ...ways, back: to, message: 'The API server does not accept this token', next: 'Make a new one, for example by kubectl create token' }; // prettier-ignore
  if (person === undefined) return context.html(loginPage(page), 403);
  await session.start(context, nameOnly(person), { token: text, ...expiryOf(text) });
  return context.redirect(to, 303);
}

/** The rest is in the token, which is reviewed at each request: the cookie stays small. */
function nameOnly({ user }: Person): Person {
  return { user, groups: [] };
}

function expiryOf(token: string): { readonly expires?: number } {
  try {
    const { exp } = decodeJwt(token);
    return exp === undefined ? {} : { expires: exp * 1000 };
  } catch {
    return {};
  }
}
