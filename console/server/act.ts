/** Carries out an act as the person: the same requests as the kubectl line beside the button, and no other ones. */
import { ApiError } from '../../api/api-error.ts';
import { ReasonedError } from '../../api/errors.ts';
import { parseJson } from '../../api/json.ts';
import { isRecord } from '../../api/untyped.ts';
import type { ApiResponse } from '../../kube/transport/api-request.ts';
import type { Transport } from '../../kube/transport/transport.ts';
import type { Action } from '../data/actions.ts';
import { describeDone } from '../data/done.ts';
import { requestsOf, type ActRequest } from '../data/requests.ts';
import type { RequestedObject } from '../../report/delay.ts';
import type { Person } from './person.ts';

const REQUEST_SECONDS = 30;

export interface ActParts {
  /** Requests with the rights of the person. */
  readonly transportOf: (person: Person) => Pick<Transport, 'request'>;
  readonly now: () => Date;
}

/**
 * Sends the requests one after another, also if the browser leaves: half of an act is worse than one that is not seen to
 * its end. An object that is gone has been deleted, by this act if its answer was lost. Returns the sentence of success. @throws ReasonedError as the API server
 * refuses; the requests before the refused one stay done
 */
export async function carryOutAct(person: Person, action: Action, { transportOf, now }: ActParts): Promise<string> {
  const transport = transportOf(person);
  const requests = requestsOf(action, now());
  const isDeletion = requests.some(({ method }) => method === 'DELETE');
  let answer: ApiResponse | undefined;
  for (const request of requests) answer = await send(transport, request, isDeletion);
  const object = answer === undefined || isDeletion ? undefined : parseJson(answer.text());
  return describeDone(
    action,
    isRecord(object) ? { object: object as unknown as RequestedObject, now: now() } : undefined,
  );
}

async function send(
  transport: Pick<Transport, 'request'>,
  { refusal, ...request }: ActRequest,
  isDeletion: boolean,
): Promise<ApiResponse | undefined> {
  try {
    return await transport.request({ ...request, signal: AbortSignal.timeout(REQUEST_SECONDS * 1000) });
  } catch (error) {
    if (isDeletion && error instanceof ApiError && error.code === 404) return undefined;
    if (refusal === undefined || !(error instanceof ApiError) || error.code !== refusal.status) throw error;
    const { reason, message, next } = refusal.problem;
    throw new ReasonedError({ reason, retry: 'never', message, hint: next, cause: error });
  }
}
