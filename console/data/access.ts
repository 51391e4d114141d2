/** The rights that an act takes, as questions for the API server, and the verdict from its answers. Pure. */
import { GROUP } from '../../api/names.ts';
import { MANAGER } from '../../report/manager.ts';
import type { Action } from './actions.ts';
import type { AccessQuestion } from './ask.ts';
import { stepsOf, type Step } from './steps.ts';

/** The answers by their question; a question that was not answered is not in it. */
export type Rights = ReadonlyMap<string, boolean>;

/** The account with whose rights the manager acts; the policy of Slipway asks for `impersonate` on it. */
export interface ActingAccount {
  readonly systemNamespace: string;
  /** `spec.serviceAccountName`; absent: the manager's own. */
  readonly serviceAccountName?: string | undefined;
}

/** The rights without which the API server refuses the act. */
export function accessOf(action: Action): readonly AccessQuestion[] {
  return distinct(stepsOf(action).map(questionOf));
}

/** The right that the policy `slipway-accounts` asks for, if the cluster has it; Catalogs are none of its business. */
export function policyAccessOf(action: Action, account: ActingAccount): readonly AccessQuestion[] {
  if (action.kind === 'refresh') return [];
  const asked = action.kind === 'subscribe' ? action.serviceAccountName : account.serviceAccountName;
  const [namespace, name] = asked === undefined ? [account.systemNamespace, MANAGER] : [action.namespace, asked];
  return [{ verb: 'impersonate', group: '', resource: 'serviceaccounts', namespace, name }];
}

export function keyOfAccess({ verb, group, resource, namespace = '', name = '' }: AccessQuestion): string {
  return [verb, group, resource, namespace, name].join(' ');
}

/** The rights from questions and the answers in their order. */
export function rightsFrom(
  questions: readonly AccessQuestion[],
  answers: readonly (boolean | undefined)[] | undefined,
): Rights {
  return new Map(
    questions.flatMap((question, at) => {
      const answer = answers?.[at];
      return answer === undefined ? [] : [[keyOfAccess(question), answer] as const];
    }),
  );
}

/** `patch subscriptions.slipway.dev in namespace ops` */
export function describeAccess({ verb, group, resource, namespace, name }: AccessQuestion): string {
  const what = `${resource}${group === '' ? '' : `.${group}`}${name === undefined ? '' : ` ${name}`}`;
  return `${verb} ${what}${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
}

/** Each question once, in its first place. */
export function distinct(questions: readonly AccessQuestion[]): readonly AccessQuestion[] {
  return [...new Map(questions.map((one) => [keyOfAccess(one), one])).values()];
}

const VERBS: Readonly<Record<Step['do'], string>> = {
  merge: 'patch',
  test: 'patch',
  annotate: 'patch',
  create: 'create',
  delete: 'delete',
};

/** A create has no name yet. */
function questionOf({ do: act, target: { namespace, plural, name } }: Step): AccessQuestion {
  return {
    verb: VERBS[act],
    group: GROUP,
    resource: plural,
    ...(namespace !== undefined && { namespace }),
    ...(act !== 'create' && { name }),
  };
}
