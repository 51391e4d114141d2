/** How a request proves whose it is. Each way in implements this; the routes of the console know no more. */
import type { Hono } from 'hono';
import type { Context } from 'hono';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Person } from '../person.ts';

/** The way in, as the page shows it. */
export type WayIn = 'local' | 'oidc' | 'proxy' | 'token';

/** A browser whose person is known. */
export interface Visitor {
  readonly person: Person;
  readonly way: WayIn;
  /** Text that a script of another site cannot know; an act has to repeat it. */
  readonly csrf: string;
  readonly canLogOut: boolean;
  /** Identifies the session, if there is one. */
  readonly session?: string;
  /** Whether the person is still logged in. Rejects if that cannot be found out now. */
  readonly isValid: () => Promise<boolean>;
}

/** The parts of the connection that a browser cannot make up. */
export interface NodeBindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

export interface ConsoleEnv {
  Bindings: NodeBindings;
  Variables: { visitor: Visitor };
}

export type ConsoleContext = Context<ConsoleEnv>;

export interface Login {
  /** The person of a request; undefined if it has proven none. Rejects if that cannot be found out now. */
  identify(context: ConsoleContext): Promise<Visitor | undefined>;
  /** Adds the pages on which people log in. */
  routes(app: Hono<ConsoleEnv>): void;
  /** Ends the session of a visitor; the address to go on to. */
  logOut(context: ConsoleContext): Promise<string>;
}
