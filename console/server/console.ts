/**
 * The console as one handler of HTTP requests. Input: requests of browsers; output: views, acts as the person, and the
 * files of the pages. cmd/console puts it behind a server in a cluster, and `slipway ui` on the user's machine. It listens
 * nowhere itself, and has no rights of its own: every read and every act is made in the name of the person.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { apiRoutes, type ApiParts } from './api-routes.ts';
import { assetRoutes } from './asset-routes.ts';
import type { Assets } from './assets.ts';
import { answerProblem } from './answer-problem.ts';
import type { ConsoleEnv, Login } from './login/login.ts';
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
    if (context.req.path.startsWith('/login')) context.res.headers.set('content-security-policy', LOGIN_POLICY);
    for (const [name, value] of headers) if (!context.res.headers.has(name)) context.res.headers.set(name, value);
  });
  login.routes(app);
  apiRoutes(app, login, options);
  assetRoutes(app, assets);
  app.notFound(() => answerProblem(problem('InputInvalid', 'The console has nothing at this address'), 404));
  app.onError((error) => {
    const found = problemOf(error);
    if (found.reason === 'InternalError') log.error({ err: error }, 'a request failed by a defect');
    return answerProblem(found, statusOfError(error));
  });
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}
