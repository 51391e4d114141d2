/** The way in of `slipway ui`: the address that the program prints makes one browser that of the user of the kubeconfig. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Person } from '../person.ts';
import type { ConsoleContext, Login } from './login.ts';
import type { OwnSession } from './own-session.ts';
import { loginPage } from './page.ts';

export interface LocalLoginOptions {
  readonly session: OwnSession;
  readonly person: Person;
}

/** Path of the address that is printed; the token follows. */
const START = '/login/start';

/** @returns The login, and the path with the token that opens it once. */
export function localLogin({ session, person }: LocalLoginOptions): { readonly login: Login; readonly start: string } {
  const token = randomBytes(32).toString('base64url');
  let isUsed = false;
  const login: Login = {
    async identify(context) {
      const found = await session.read(context);
      return found === undefined ? undefined : session.visitorOf({ ...found, person }, 'local');
    },
    routes(app) {
      app.get(START, async (context) => {
        if (isUsed || !isSame(context.req.query('token') ?? '', token)) return context.html(loginPage(USED), 403);
        isUsed = true;
        await session.start(context, person);
        return context.redirect('/', 303);
      });
      app.get('/login', (context) => context.html(loginPage(USED), 401));
    },
    async logOut(context: ConsoleContext) {
      await session.end(context);
      return '/login';
    },
  };
  return { login, start: `${START}?token=${token}` };
}

const USED = {
  message: 'The address that slipway ui printed opens the console once, in one browser.',
  next: 'Run slipway ui again, and open the new address.',
};

/** In a time that says nothing about the first difference. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
