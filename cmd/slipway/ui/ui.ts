/** `slipway ui`: the console on this machine, with the rights of the kubeconfig and for the user of this machine alone. */
import { aborted } from '../../../api/aborted.ts';
import { ReasonedError } from '../../../api/errors.ts';
import { assembleConsole } from '../../../console/server/assemble.ts';
import type { ConsoleHandler } from '../../../console/server/console.ts';
import { documentsByProxy } from '../../../console/server/documents.ts';
import { loadPages } from '../../../console/server/load-pages.ts';
import { localLogin } from '../../../console/server/login/local.ts';
import { OwnSession } from '../../../console/server/login/own-session.ts';
import { ownKeys, Sessions } from '../../../console/server/login/session.ts';
import { scopesOfUser } from '../../../console/server/scopes.ts';
import { whoAmI } from '../../../console/server/who-am-i.ts';
import { VIEWS } from '../../../console/data/views.ts';
import { silentLog, type Log } from '../../../kube/log.ts';
import { untilSynced } from '../../../kube/watch/informer.ts';
import { startServer, type RunningServer } from '../../serving/limited-server.ts';
import { VERSION } from '../../serving/version.ts';
import type { Environment } from '../environment.ts';
import type { OutputFlags } from '../flags.ts';
import { withCluster, type Connection, type KubeFlags } from '../input/connection.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';
import { openBrowser } from './open-browser.ts';

export interface UiFlags extends KubeFlags, OutputFlags {
  readonly port?: string;
  readonly open: boolean;
  readonly readOnly?: boolean;
  readonly systemNamespace: string;
}

/** Until the signal aborts, which is a success. @throws ReasonedError InputInvalid, and the errors of the API server */
export async function ui(environment: Environment, flags: UiFlags): Promise<Outcome> {
  const port = portOf(flags);
  return withCluster(environment, flags, async (connection) => {
    const { signal } = environment;
    signal.throwIfAborted();
    const handler = Promise.withResolvers<ConsoleHandler>();
    handler.promise.catch(() => undefined);
    const server = await serve(async (request, response) => (await handler.promise)(request, response), port);
    try {
      const opened = await consoleOf(connection, { ...flags, listening: server.port }, environment);
      handler.resolve(opened.handler);
      await using _page = await announce(environment, flags, `http://127.0.0.1:${server.port}${opened.start}`);
      await aborted(signal);
    } finally {
      handler.reject(new Error('the console ends'));
      await server.close();
    }
    return { data: { ended: true }, text: '' };
  });
}

function portOf({ port = '0' }: UiFlags): number {
  const number = Number(port);
  if (/^\d{1,5}$/.test(port) && number < 65_536) return number;
  throw invalidInput(`--port ${JSON.stringify(port)} is no port`, 'Write a number up to 65535');
}

/** How long the first lists may take. */
const SYNC_SECONDS = 60;
const SESSION_SECONDS = 24 * 3600;

/** Browsers send cookies of one port to all ports: consoles side by side need names of their own, and not too many. */
const COOKIE_NAMES = 16;

async function consoleOf(
  connection: Connection,
  flags: UiFlags & { readonly listening: number },
  { signal, complain }: Environment,
): Promise<{ readonly handler: ConsoleHandler; readonly start: string }> {
  const { client, transport, namespace } = connection;
  const { systemNamespace, readOnly = false } = flags;
  const [person, scopes] = await Promise.all([
    whoAmI(transport, signal),
    scopesOfUser(client, { namespace, systemNamespace, isOnly: flags.namespace !== undefined, signal }),
  ]);
  const sessions = new Sessions({ keys: ownKeys(), seconds: SESSION_SECONDS });
  const cookie = {
    name: `slipway-session-${flags.listening % COOKIE_NAMES}`,
    isSecure: false,
    sameSite: 'Strict',
  } as const;
  const { login, start } = localLogin({ session: new OwnSession({ sessions, cookie, canLogOut: false }), person });
  const assembled = assembleConsole({
    views: VIEWS,
    client,
    scopes,
    acting: { clientOf: () => client, transportOf: () => transport },
    documents: documentsByProxy(systemNamespace),
    login: () => login,
    hosts: 'loopback',
    pages: loadPages,
    readOnly,
    systemNamespace,
    version: VERSION,
    log: logOf(complain),
  });
  assembled.start(signal);
  await untilSynced(assembled.caches, { seconds: SYNC_SECONDS, signal });
  return { handler: assembled.handler, start };
}

/** The terminal gets the defects, and no line for each act: the browser shows those. */
function logOf(complain: Environment['complain']): Log {
  return {
    ...silentLog,
    error: (fields, message) => complain(`slipway: ${cleanLine(message)}${causeOf(fields)}\n`),
    child: () => logOf(complain),
  };
}

function causeOf(fields: object): string {
  const { err } = fields as { readonly err?: unknown };
  return err instanceof Error ? `: ${cleanLine(err.message)}` : '';
}

/** One person has few browsers, and a stream for each of their tabs. */
const LIMITS = { connections: 128, perAddress: 128, stallMs: 60_000 };

async function serve(handler: ConsoleHandler, port: number): Promise<RunningServer> {
  try {
    return await startServer({ listen: `127.0.0.1:${port}`, limits: LIMITS, answer: handler });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new ReasonedError({
      reason: 'InputInvalid',
      retry: 'never',
      message: `port ${port} of 127.0.0.1 is in use`,
      hint: 'Name another one by --port, or leave it out',
      cause: error,
    });
  }
}

/** @returns The page that leads the browser to the address, if one was opened. */
async function announce(
  environment: Environment,
  flags: UiFlags,
  address: string,
): Promise<AsyncDisposable | undefined> {
  const { print, columns } = environment;
  if (flags.output === 'json') print(`${JSON.stringify({ address })}\n`);
  else print(`The console is at ${address}\nThe address opens it once, in one browser; Ctrl-C ends it\n`);
  return flags.open && columns !== undefined ? openBrowser(address, environment) : undefined;
}
