/**
 * Whether a client may read the content of a catalog, if the manager was started with `--catalog-auth=token`: the API
 * server says whose token it is and whether that user may `get` the Catalog. The token must be made for this purpose,
 * with the audience `slipway.dev/catalogs`: the way here is plain HTTP, and one that was made for the API server would
 * open all that its owner may do to those who see it on the way. Answers are remembered for a moment, and bounded.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SharedSlots } from '../../apply/shared-slots.ts';
import { systemClock, type Clock } from '../../kube/clock.ts';
import type { Log } from '../../kube/log.ts';
import type { Transport } from '../../kube/transport/transport.ts';

export const CATALOG_AUDIENCE = 'slipway.dev/catalogs';

/** A right that is taken away, or a token that is revoked, is still good for so long. */
const ALLOWED_SECONDS = 30;
/** A right that is given acts after so long. */
const REFUSED_SECONDS = 5;
const MAX_REMEMBERED = 1000;
/**
 * Reviews at the API server: tokens that are made up cost it no more than `all` at a time, and hold up clients of the same address
 * alone. So many wait from many addresses that the last of them is answered within some seconds.
 */
const REVIEWS = { all: 8, share: 2, mostWaiting: 16, allWaiting: 256 };
const REVIEW_SECONDS = 5;
const MAX_TOKEN = 8192;

type ReviewTransport = Pick<Transport, 'request'>;
type AccessVerdict = 'allowed' | 401 | 403;

export interface AccessOptions {
  readonly transport: ReviewTransport;
  readonly log: Log;
  readonly clock?: Clock;
}

export type Authorize = (request: IncomingMessage, catalog: string) => Promise<401 | 403 | 503 | undefined>;

/** What authorizes requests; 503 if the API server cannot be asked now, or is asked too much from one address or from all. It never rejects. */
export function createCatalogAccess({ transport, log, clock = systemClock }: AccessOptions): Authorize {
  const remembered = new Map<string, { readonly verdict: AccessVerdict; readonly until: number }>();
  const asking = new Map<string, Promise<AccessVerdict>>();
  const shares = new SharedSlots(REVIEWS);

  async function judge(key: string, token: string, catalog: string): Promise<AccessVerdict> {
    try {
      const verdict = await reviewAccess(transport, token, catalog);
      const seconds = verdict === 'allowed' ? ALLOWED_SECONDS : REFUSED_SECONDS;
      remembered.delete(key);
      remembered.set(key, { verdict, until: clock.now() + seconds });
      const [oldest] = remembered.keys();
      if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
      return verdict;
    } finally {
      asking.delete(key);
    }
  }

  return async ({ headers, socket }, catalog) => {
    const token = bearerIn(headers.authorization);
    if (token === undefined) return 401;
    const key = createHash('sha256').update(`${catalog}\0${token}`).digest('base64');
    const known = remembered.get(key);
    if (known !== undefined && known.until > clock.now()) return codeOf(known.verdict);
    const address = socket.remoteAddress ?? '';
    if (!asking.has(key) && !shares.hasRoom(address)) return 503;
    const asked = asking.get(key) ?? shares.run(address, () => judge(key, token, catalog));
    asking.set(key, asked);
    try {
      return codeOf(await asked);
    } catch (err) {
      log.warn({ err, catalog }, 'a client of catalog content cannot be reviewed: bind system:auth-delegator');
      return 503;
    }
  };
}

function codeOf(verdict: AccessVerdict): 401 | 403 | undefined {
  return verdict === 'allowed' ? undefined : verdict;
}

/** @see https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
function bearerIn(header: string | undefined): string | undefined {
  const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(header ?? '')?.[1];
  return token === undefined || token.length > MAX_TOKEN ? undefined : token;
}

async function reviewAccess(transport: ReviewTransport, token: string, catalog: string): Promise<AccessVerdict> {
  const user = await reviewToken(transport, token);
  if (user === undefined) return 401;
  const resourceAttributes = { group: 'slipway.dev', resource: 'catalogs', verb: 'get', name: catalog };
  const { username, uid, groups, extra } = user;
  const spec = { user: username, uid, groups, extra, resourceAttributes };
  const status = await review(transport, { group: 'authorization.k8s.io', kind: 'SubjectAccessReview', spec });
  return status.allowed === true ? 'allowed' : 403;
}

interface ReviewedUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface ReviewStatus {
  readonly authenticated?: boolean;
  readonly audiences?: readonly string[];
  readonly user?: ReviewedUser;
  readonly allowed?: boolean;
}

/** An API server that does not know audiences names none in its answer: then the token was made for it, not for us. */
async function reviewToken(transport: ReviewTransport, token: string): Promise<ReviewedUser | undefined> {
  const spec = { token, audiences: [CATALOG_AUDIENCE] };
  const status = await review(transport, { group: 'authentication.k8s.io', kind: 'TokenReview', spec });
  const isOurs = status.authenticated === true && status.audiences?.includes(CATALOG_AUDIENCE) === true;
  return isOurs ? status.user : undefined;
}

interface Review {
  readonly group: string;
  readonly kind: string;
  readonly spec: object;
}

/** Reviews have no name: the API server answers them and keeps nothing. */
async function review(transport: ReviewTransport, { group, kind, spec }: Review): Promise<ReviewStatus> {
  const answer = await transport.request({
    method: 'POST',
    path: `/apis/${group}/v1/${kind.toLowerCase()}s`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: `${group}/v1`, kind, spec }),
    subject: `create ${kind}`,
    timeoutSeconds: REVIEW_SECONDS,
    idempotent: true,
  });
  return (JSON.parse(answer.text()) as { readonly status?: ReviewStatus }).status ?? {};
}
