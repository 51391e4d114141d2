/** The person who is signed in, and the acts that the server carries out as that person. */
import { signal, type ReadonlySignal } from '@preact/signals';
import type { Action } from '../../data/actions.ts';
import type { Problem } from '../../data/view.ts';
import type { PortKey } from './key.ts';

/** The answer of the server to `/api/session`. */
export interface SignedInPerson {
  readonly user: string;
  readonly groups: readonly string[];
  /** Of Slipway. */
  readonly version: string;
  /** Whether the console carries out no act at all. */
  readonly readOnly: boolean;
  readonly canLogOut: boolean;
  /** Sent with every act. */
  readonly csrf: string;
}

/** Why the server knows no person. */
export interface SignInProblem extends Problem {
  /** The page on which people sign in; absent if the address of the console has to be opened again. */
  readonly login?: string;
}

/** The outcome of an act, as a sentence for the person. */
export interface ActOutcome {
  readonly isDone: boolean;
  readonly sentence: string;
}

/** The act may have been carried out although its answer was lost: the view, once it is live again, shows its effect. */
const UNANSWERED =
  'The console did not answer. Read in this view whether the act was carried out before you repeat it.';

/** State: who is signed in, and whether the server has ended that. */
export class SignedIn {
  readonly #session = signal<SignedInPerson | undefined>(undefined);
  readonly #ended = signal<SignInProblem | undefined>(undefined);
  readonly #key: Pick<PortKey, 'headers'>;

  constructor(key: Pick<PortKey, 'headers'>) {
    this.#key = key;
  }

  get session(): ReadonlySignal<SignedInPerson | undefined> {
    return this.#session;
  }

  /** Set if the session is over or was never there: the message says how to sign in. */
  get ended(): ReadonlySignal<SignInProblem | undefined> {
    return this.#ended;
  }

  /** Asks the server who is signed in; called again whenever it refuses a connection. */
  async read(): Promise<void> {
    const answer = await fetch('/api/session', { headers: this.#key.headers }).catch(() => undefined);
    if (answer === undefined) return;
    if (answer.ok) {
      const person = (await answer.json().catch(() => undefined)) as SignedInPerson | undefined;
      if (person === undefined) return;
      this.#session.value = person;
      this.#ended.value = undefined;
    } else if (answer.status === 401 || answer.status === 403) this.#ended.value = await problemOf(answer);
  }

  /** Has the server carry out an action as this person. Never throws: a failure is an outcome with a sentence. */
  async act(action: Action): Promise<ActOutcome> {
    const answer = await this.#post('/api/act', { action });
    if (answer === undefined) return { isDone: false, sentence: UNANSWERED };
    if (answer.ok)
      return answer.json().then(
        ({ done }: { readonly done: string }) => ({ isDone: true, sentence: done }),
        () => ({ isDone: false, sentence: UNANSWERED }),
      );
    const { message, next } = await problemOf(answer);
    return { isDone: false, sentence: [message, next].filter((part) => part !== '').join('. ') };
  }

  async logOut(): Promise<void> {
    const answer = await this.#post('/api/logout', {});
    const { next = '/' } = ((await answer?.json().catch(() => undefined)) ?? {}) as { readonly next?: string };
    window.location.assign(next);
  }

  #post(path: string, body: unknown): Promise<Response | undefined> {
    const headers = {
      ...this.#key.headers,
      'content-type': 'application/json',
      'x-csrf-token': this.#session.value?.csrf ?? '',
    };
    return fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => undefined);
  }
}

/** Whether the server knows the person of requests with these headers; undefined if it does not answer that. */
export async function isSignedIn(headers: Readonly<Record<string, string>>): Promise<boolean | undefined> {
  const answer = await fetch('/api/session', { headers }).catch(() => undefined);
  if (answer?.ok === true) return true;
  return answer?.status === 401 ? false : undefined;
}

/** The problem in an answer of the server; one made of the status if it has none. */
export async function problemOf(answer: Response): Promise<SignInProblem> {
  const unreadable = {
    problem: true,
    reason: 'InternalError',
    message: `The console answered with status ${answer.status}`,
    next: '',
  };
  const body = (await answer.json().catch(() => undefined)) as Partial<SignInProblem> | undefined;
  return { ...unreadable, ...body } as SignInProblem;
}
