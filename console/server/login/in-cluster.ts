/** The ways in that have a page: by an issuer of identities, and by a token that is pasted. */
import { decodeJwt } from 'jose';
import { SharedSlots, type FullSlots } from '../../../apply/shared-slots.ts';
import { retryHeaders } from '../answer-problem.ts';
import { clientOfAddress } from '../client-of-address.ts';
import { keyOfPerson, type Person } from '../person.ts';
import { problemOf, statusOfError, type ProblemStatus } from '../problem.ts';
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
  /** Called for each login that is refused since too many wait. */
  readonly onFull?: (full: FullSlots) => void;
}

/**
 * Answers of an issuer that are under way at a time. Each one makes a request to the issuer, and a client that has begun one
 * login can make up any number of answers to it.
 */
const ANSWERS = { all: 32, share: 16, mostWaiting: 128, allWaiting: 512 };

export function inClusterLogin(options: InClusterLoginOptions): Login {
  const { session, oidc, tokens, onFailure } = options;
  const answers = new SharedSlots(ANSWERS);
  const refusals = refusalsOf(options);
  const orRefused = (context: ConsoleContext, answer: () => Promise<Response>): Promise<Response> =>
    answer().catch((error: unknown) => refusals.failed(context, error));

  return {
    identify: (context) => identify(context, { session, oidc, tokens }),
    routes(app) {
      app.get('/login', (context) => context.html(loginPage({ ...waysOf(options), back: backPath(context.req.query('back')) }))); // prettier-ignore
      app.get('/login/oidc', (context) => {
        if (oidc === undefined) return context.notFound();
        return orRefused(context, () => oidc.begin(context, backPath(context.req.query('back'))));
      });
      app.get('/login/callback', (context) => {
        if (oidc === undefined) return context.notFound();
        const client = clientOf(context);
        const full = answers.whyFull(client);
        if (full !== undefined) return refusals.full(context, full);
        return orRefused(context, async () => {
          const { person, back, expires } = await answers.run(client, () => oidc.finish(context));
          await session.start(context, person, expires === undefined ? {} : { expires });
          return context.redirect(backPath(back), 303);
        });
      });
      app.post('/login/token', (context) => {
        if (tokens === undefined) return context.notFound();
        return orRefused(context, () => pasted(context, { session, tokens, refusals }));
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

function waysOf({ oidc, tokens }: InClusterLoginOptions): LoginPage {
  return {
    ...(oidc !== undefined && { oidc: '/login/oidc' }),
    ...(tokens !== undefined && { token: '/login/token' }),
  };
}

/** Answers to logins that open no session: the page of the login, with the cause. */
interface Refusals {
  readonly failed: (context: ConsoleContext, error: unknown) => Response;
  readonly full: (context: ConsoleContext, full: FullSlots, back?: string) => Response;
  readonly notAccepted: (context: ConsoleContext, back: string) => Response;
}

function refusalsOf(options: InClusterLoginOptions): Refusals {
  const answer = (context: ConsoleContext, status: ProblemStatus, page: LoginPage): Response =>
    context.html(loginPage({ ...waysOf(options), ...page }), status, retryHeaders(status));
  return {
    failed(context, error) {
      options.onFailure?.(error);
      const { message, next } = problemOf(error);
      return answer(context, statusOfError(error), { message: `The login failed: ${message}`, next });
    },
    full(context, full, back = '/') {
      options.onFull?.(full);
      return answer(context, full === 'holder' ? 429 : 503, { back, message: FULL[full], next: 'Try again in some seconds' }); // prettier-ignore
    },
    notAccepted: (context, back) => answer(context, 403, { back, ...NOT_ACCEPTED }),
  };
}

const FULL: Readonly<Record<FullSlots, string>> = {
  holder: 'More logins from your address wait than one address may have',
  all: 'As many logins wait as the console can serve',
};

const NOT_ACCEPTED = {
  message: 'The API server does not accept this token',
  next: 'Make a new one, for example by kubectl create token',
};

function clientOf({ env }: ConsoleContext): string {
  return clientOfAddress(env.incoming.socket.remoteAddress ?? '');
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

interface PastedParts {
  readonly session: OwnSession;
  readonly tokens: TokenReviews;
  readonly refusals: Refusals;
}

async function pasted(context: ConsoleContext, { session, tokens, refusals }: PastedParts): Promise<Response> {
  const { token, back } = await context.req.parseBody();
  const text = typeof token === 'string' ? token.trim() : '';
  const to = backPath(typeof back === 'string' ? back : undefined);
  const person = await tokens.admit(text, clientOf(context));
  if (typeof person === 'string') return refusals.full(context, person, to);
  if (person === undefined) return refusals.notAccepted(context, to);
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
