/** An act as requests to the API server, which are sent one after another as the person. Pure. */
import { formatTime } from '../../api/conditions.ts';
import { formatJson } from '../../api/json.ts';
import { API_VERSION } from '../../api/names.ts';
import type { Action } from './actions.ts';
import { stepsOf, type Step, type StepTarget } from './steps.ts';
import type { Problem } from './view.ts';

/** Field manager of the console's writes: the history of a Subscription names it as the program that approved. */
export const CONSOLE_FIELD_MANAGER = 'slipway-console';

/** One request; the shape is that of `ApiRequest` in kube/transport. */
export interface ActRequest {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  /** Absolute and encoded. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The action, for messages: `patch Subscription.slipway.dev ops/gadget`. */
  readonly subject: string;
  /** The answer for the person if the API server answers with this status, instead of its own sentence. */
  readonly refusal?: { readonly status: number; readonly problem: Problem };
}

/** @param now The time of the act: annotations carry it */
export function requestsOf(action: Action, now: Date): readonly ActRequest[] {
  return stepsOf(action).map((step) => requestOf(step, now));
}

function requestOf(step: Step, now: Date): ActRequest {
  const { target } = step;
  switch (step.do) {
    case 'merge':
      return patchRequest(target, 'application/merge-patch+json', step.patch);
    case 'annotate':
      return patchRequest(target, 'application/merge-patch+json', {
        metadata: { annotations: { [step.key]: formatTime(now) } },
      });
    case 'test':
      return {
        ...patchRequest(target, 'application/json-patch+json', step.patch),
        refusal: { status: 422, problem: PLAN_CHANGED },
      };
    case 'create':
      return {
        method: 'POST',
        path: collectionOf(target),
        query: WRITE,
        headers: { 'content-type': 'application/json' },
        body: formatJson(step.body),
        subject: `create ${describe(target)}`,
      };
    default:
      return {
        method: 'DELETE',
        path: pathOf(target),
        query: {},
        headers: { 'content-type': 'application/json' },
        body: formatJson({
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          propagationPolicy: 'Background',
          preconditions: { uid: step.uid },
        }),
        subject: `delete ${describe(target)}`,
      };
  }
}

/** Fields that the CRDs of the cluster lack are refused, where the API server would drop them in silence. */
const WRITE = { fieldManager: CONSOLE_FIELD_MANAGER, fieldValidation: 'Strict' } as const;

const PLAN_CHANGED: Problem = {
  problem: true,
  reason: 'ApprovalVoid',
  message: 'Nothing is approved: the plan is another one than the one that was shown',
  next: 'Read the plan as it is now, and approve that',
};

function patchRequest(target: StepTarget, type: string, patch: object): ActRequest {
  return {
    method: 'PATCH',
    path: pathOf(target),
    query: WRITE,
    headers: { 'content-type': type },
    body: formatJson(patch),
    subject: `patch ${describe(target)}`,
  };
}

function collectionOf({ namespace, plural }: StepTarget): string {
  const within = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `/apis/${API_VERSION}${within}/${plural}`;
}

function pathOf(target: StepTarget): string {
  return `${collectionOf(target)}/${encodeURIComponent(target.name)}`;
}

function describe({ kind, namespace, name }: StepTarget): string {
  return `${kind}.slipway.dev ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
