/** The routes below `/api/`: session, views once and live, acts, icons. Each asks first who the person is. */
import type { Hono } from 'hono';
import { formatJson } from '../../api/json.ts';
import { SharedSlots } from '../../apply/shared-slots.ts';
import { Action } from '../data/actions.ts';
import type { Log } from '../../kube/log.ts';
import { answerProblem } from './answer-problem.ts';
import { answerView, type AnswerParts } from './answer-view.ts';
import type { Icon } from './icons.ts';
import type { LiveHub } from './live/hub.ts';
import type { ConsoleContext, ConsoleEnv, Login, Visitor } from './login/login.ts';
import { matchView, type AnyView, type MatchedView } from './match-view.ts';
import { keyOfPerson, type Person } from './person.ts';
import { problem, problemOf, statusOfError } from './problem.ts';
import { ICON_POLICY } from './security-headers.ts';
import { untilSent } from './until-sent.ts';

export interface ApiParts extends AnswerParts {
  readonly views: readonly AnyView[];
  readonly hub: LiveHub;
  /** Carries out an act as the person; returns the sentence of success. @throws ReasonedError as the API server refuses */
  readonly act: (person: Person, action: Action) => Promise<string>;
  /** The icon of a package, if the person may see its Catalog. */
  readonly icon: (person: Person, catalog: string, name: string, signal: AbortSignal) => Promise<Icon | undefined>;
  readonly version: string;
  readonly log: Log;
  readonly onAct?: (kind: string, outcome: 'done' | 'refused') => void;
}

/** The answer to `/api/session`. */
export interface SessionAnswer {
  readonly user: string;
  readonly groups: readonly string[];
  /** Of Slipway. */
  readonly version: string;
  readonly readOnly: boolean;
  readonly way: Visitor['way'];
  readonly canLogOut: boolean;
  /** Sent with every act, in the header `x-csrf-token`. */
  readonly csrf: string;
}

/** Computations of one person at a time, and further requests of theirs that may wait. */
const SHARE = { share: 8, mostWaiting: 256 };

/** Acts of one person: all persons share the few connections to the API server. */
const SHARE_OF_ACTS = { share: 4, mostWaiting: 32 };

/** Streams are bounded where they are opened, and never refused once they are open. */
interface Shares {
  readonly once: SharedSlots;
  readonly live: SharedSlots;
  readonly acts: SharedSlots;
}

export function apiRoutes(app: Hono<ConsoleEnv>, login: Login, parts: ApiParts): void {
  const shares = {
    once: new SharedSlots(SHARE),
    live: new SharedSlots({ share: SHARE.share }),
    acts: new SharedSlots(SHARE_OF_ACTS),
  };
  app.use('/api/*', async (context, next) => {
    const visitor = await login.identify(context);
    if (visitor === undefined) return answerProblem(NOT_LOGGED_IN, 401);
    context.set('visitor', visitor);
    return next();
  });
  app.get('/api/session', (context) => context.json(sessionOf(context.get('visitor'), parts)));
  app.get('/api/view/*', (context) => inTurn(context, shares, () => viewOnce(context, parts)));
  app.get('/api/live/*', (context) => viewLive(context, parts, shares));
  app.get('/api/icon/:catalog/:package', (context) => inTurn(context, shares, () => iconOf(context, parts)));
  app.post('/api/act', (context) => checked(context, () => actInTurn(context, shares, parts)));
  app.post('/api/logout', (context) =>
    checked(context, async () => context.json({ next: await login.logOut(context) })),
  );
}

const NOT_LOGGED_IN = {
  ...problem('Forbidden', 'You are not logged in, or your session has ended', 'Log in again'),
  login: '/login',
};

function sessionOf({ person, way, canLogOut, csrf }: Visitor, { version, readOnly }: ApiParts): SessionAnswer {
  return { user: person.user, groups: person.groups, version, readOnly, way, canLogOut, csrf };
}

async function inTurn(context: ConsoleContext, { once }: Shares, answer: () => Promise<Response>): Promise<Response> {
  const { user } = context.get('visitor').person;
  if (!once.hasRoom(user)) return answerProblem(BUSY, 429);
  const answered = Promise.withResolvers<Response>();
  const turn = once.run(user, async () => {
    // A browser that has gone while its request waited gets no answer, and costs nothing.
    answered.resolve(context.req.raw.signal.aborted ? answerProblem(BUSY, 429) : await answer());
    // One who reads none of their answers has no more of them in memory than their share.
    await untilSent(context.env);
  });
  turn.catch(answered.reject);
  return answered.promise;
}

const BUSY = problem('ApiUnavailable', 'More of your requests wait than one person may have', 'Try again in a while');

async function viewOnce(context: ConsoleContext, parts: ApiParts): Promise<Response> {
  const matched = viewOf(context, '/api/view', parts);
  if (matched === undefined) return answerProblem(NO_VIEW, 404);
  const answer = await answerView(context.get('visitor').person, matched, parts, context.req.raw.signal);
  return 'model' in answer ? jsonOf(answer.model) : answerProblem(answer.problem, answer.status);
}

/** A field of an object may be an integer that a number cannot hold. */
function jsonOf(model: unknown): Response {
  return new Response(formatJson(model), { headers: { 'content-type': 'application/json' } });
}

const NO_VIEW = problem(
  'InputInvalid',
  'The console has no view with this address',
  'The overview leads to every view',
);

/** Then the browser connects again, and proves again who its person is: not every way in can be asked later. */
const STREAM_SECONDS = 300;

function viewLive(context: ConsoleContext, parts: ApiParts, { live }: Shares): Response {
  const matched = viewOf(context, '/api/live', parts);
  if (matched === undefined) return answerProblem(NO_VIEW, 404);
  const { person, session, isValid } = context.get('visitor');
  const until = parts.now().getTime() + STREAM_SECONDS * 1000;
  const stream = parts.hub.listen({
    person: keyOfPerson(person),
    user: person.user,
    view: matched.key,
    reads: new Set(matched.view.reads),
    asks: matched.view.ask !== undefined && matched.view.asksRightsOnly !== true,
    ...(matched.view.isOfNamespace === true && { namespace: matched.parameters['namespace'] }),
    compute: (signal) => live.run(person.user, () => answerView(person, matched, parts, signal)),
    lastEventId: context.req.header('last-event-id') ?? context.req.query('lastEventId'),
    session,
    isValid: async () => parts.now().getTime() < until && isValid(),
  });
  if (typeof stream === 'string') return answerProblem(FULL[stream], stream === 'person' ? 429 : 503);
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' };
  return new Response(stream.readable, { headers });
}

const FULL = {
  person: problem('ApiUnavailable', 'You have as many pages of the console open as one person may have', 'Close some of them'), // prettier-ignore
  total: problem('ApiUnavailable', 'As many pages of the console are open as it can serve', 'Try again in a while'),
} as const;

function viewOf({ req }: ConsoleContext, prefix: string, { views }: ApiParts): MatchedView | undefined {
  const { pathname, searchParams } = new URL(req.url);
  return matchView(views, pathname.slice(prefix.length), searchParams);
}

async function iconOf(context: ConsoleContext, { icon }: ApiParts): Promise<Response> {
  const [catalog, name] = namesIn(context.req.url);
  if (catalog === undefined || name === undefined) return answerProblem(NO_ICON, 404);
  const found = await icon(context.get('visitor').person, catalog, name, context.req.raw.signal);
  if (found === undefined) return answerProblem(NO_ICON, 404);
  return new Response(found.bytes, {
    headers: {
      'content-type': found.type,
      'content-security-policy': ICON_POLICY,
      'content-disposition': 'attachment; filename="icon"',
      'cache-control': 'private, max-age=3600',
    },
  });
}

const NO_ICON = problem('PackageNotFound', 'There is no icon');

/** The last two parts of the path; none if they cannot be decoded. */
function namesIn(address: string): readonly string[] {
  try {
    return new URL(address).pathname.split('/').slice(-2).map(decodeURIComponent); // prettier-ignore
  } catch {
    return [];
  }
}

/** An act must repeat the text that only the console's own pages know. */
async function checked(context: ConsoleContext, act: () => Promise<Response>): Promise<Response> {
  const isJson = /^application\/json\b/i.test(context.req.header('content-type') ?? '');
  if (!isJson) return answerProblem(problem('InputInvalid', 'An act is sent as application/json'), 415);
  const { csrf } = context.get('visitor');
  if (context.req.header('x-csrf-token') !== csrf)
    return answerProblem(problem('Forbidden', 'The request does not come from a page of this session', 'Load the page again'), 403); // prettier-ignore
  return act();
}

/** An act that waits is carried out also if the browser leaves, as one that has begun. */
async function actInTurn(context: ConsoleContext, { acts }: Shares, parts: ApiParts): Promise<Response> {
  const { user } = context.get('visitor').person;
  if (!acts.hasRoom(user)) return answerProblem(BUSY, 429);
  return acts.run(user, () => actAsVisitor(context, parts));
}

async function actAsVisitor(context: ConsoleContext, parts: ApiParts): Promise<Response> {
  if (parts.readOnly) return answerProblem(READ_ONLY, 403);
  const body = (await context.req.json().catch(() => undefined)) as { readonly action?: unknown } | undefined;
  const parsed = Action.safeParse(body?.action);
  if (!parsed.success) return answerProblem(problem('InputInvalid', 'This is no act that the console knows'), 400);
  // JSON has no undefined fields.
  const action = parsed.data as Action;
  const { person } = context.get('visitor');
  const facts = { user: person.user, action };
  try {
    const done = await parts.act(person, action);
    parts.log.info(facts, 'an act was carried out');
    parts.onAct?.(action.kind, 'done');
    return context.json({ done });
  } catch (error) {
    const found = problemOf(error);
    parts.log.warn({ ...facts, reason: found.reason, err: error }, 'an act was not carried out');
    parts.onAct?.(action.kind, 'refused');
    return answerProblem(found, statusOfError(error));
  }
}

const READ_ONLY = problem('Forbidden', 'This console is read-only: it sends nothing to the cluster', 'Use the line of kubectl beside the button'); // prettier-ignore
