/**
 * The console as one handler of HTTP requests. Input: requests of browsers; output: views, acts as the person, and the
 * files of the pages. cmd/console puts it behind a server in a cluster, and `slipway ui` on the user's machine. It listens
 * nowhere itself, and has no rights of its own: every read and every act is made in the name of the person.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { apiRoutes, type ApiParts } from './api-routes.ts';
import { assetRoutes } from './asset-routes.ts';
import type { Assets } from './assets.ts';
import { answerProblem } from './answer-problem.ts';
import type { ConsoleContext, ConsoleEnv, Login } from './login/login.ts';
import { problem, problemOf, statusOfError } from './problem.ts';
import { refuseForeign, type OwnHosts } from './same-origin.ts';
import { LOGIN_POLICY, securityHeaders } from './security-headers.ts';

export interface ConsoleOptions extends ApiParts {
  readonly login: Login;
  readonly hosts: OwnHosts;
  /** Made or read at the first request for one of them. */
  readonly assets: () => Promise<Assets>;
}

/** Answers every request; never rejects. */
export type ConsoleHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export function createConsole(options: ConsoleOptions): ConsoleHandler {
  const { login, hosts, assets, log } = options;
  const app = new Hono<ConsoleEnv>();
  const headers = Object.entries(securityHeaders(hosts !== 'loopback' && hosts.origin.startsWith('https:')));
  const guard = (response: Response): Response => {
    for (const [name, value] of headers) if (!response.headers.has(name)) response.headers.set(name, value);
    return response;
  };

  app.use('*', async (context, next) => {
    const refused = refuseForeign(
      {
        method: context.req.method,
        path: context.req.path,
        host: context.req.header('host'),
        origin: context.req.header('origin'),
        site: context.req.header('sec-fetch-site'),
      },
      hosts,
    );
    if (refused === undefined) await next();
    else context.res = answerProblem(problem('Forbidden', `The request is refused: ${refused}`), 403);
    if (isOfLogin(context.req.path)) for (const [name, value] of LOGIN_HEADERS) context.res.headers.set(name, value);
    guard(context.res);
  });
  // Before any route, since the body of a login is read before the person is known.
  app.use('*', withOwnRequest);
  app.use('*', bodyLimit({ maxSize: MOST_BODY_BYTES, onError: () => answerProblem(TOO_LARGE, 413) }));
  app.use('*', refuseHead);
  login.routes(app);
  apiRoutes(app, login, options);
  assetRoutes(app, assets);
  app.notFound(() => answerProblem(problem('InputInvalid', 'The console has nothing at this address'), 404));
  const failed = (error: unknown): Response => {
    const found = problemOf(error);
    if (found.reason === 'InternalError') log.error({ err: error }, 'a request failed by a defect');
    return answerProblem(found, statusOfError(error));
  };
  app.onError(failed);
  return getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    errorHandler: (error) => guard(error instanceof RequestError ? answerProblem(UNREADABLE, 400) : failed(error)),
  });
}

/** Larger than any request of a page. */
const MOST_BODY_BYTES = 64 << 10;

const TOO_LARGE = problem('InputInvalid', `The request is larger than ${MOST_BODY_BYTES} bytes`);

/** A body without a length is replaced by its copy, which only a Request of the platform permits. */
function withOwnRequest({ req }: ConsoleContext, next: () => Promise<void>): Promise<void> {
  const { method, headers, body, signal } = req.raw;
  if (body !== null && headers.has('transfer-encoding'))
    req.raw = new Request(req.url, { method, headers, body, signal, duplex: 'half' });
  return next();
}

/** A stream would be opened with none to read it, and a login would be used up without a browser. */
const NO_HEAD = problem('InputInvalid', 'Only pages and their files are answered by HEAD', 'Send GET');

const UNREADABLE = problem('InputInvalid', 'The address or the Host header of the request cannot be read');

function refuseHead({ req }: ConsoleContext, next: () => Promise<void>): Promise<Response | void> {
  return req.method === 'HEAD' && !isPage(req.path) ? Promise.resolve(answerProblem(NO_HEAD, 405)) : next();
}

/** Whether the path leads to nothing but files of the pages. */
function isPage(path: string): boolean {
  return !path.startsWith('/api/') && !path.startsWith('/login/');
}

function isOfLogin(path: string): boolean {
  return path === '/login' || path.startsWith('/login/');
}

const LOGIN_HEADERS = [
  ['content-security-policy', LOGIN_POLICY],
  // The form of a page without a referrer hides its origin, and a request that hides it is refused.
  ['referrer-policy', 'same-origin'],
] as const;
