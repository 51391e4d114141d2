/**
 * Checks whether the policy about accounts is in force (deploy/policies): without it, every user who may create a
 * Subscription that names no ServiceAccount can install with the manager's rights. Every replica checks when it starts
 * and every few minutes after that; a check changes nothing, and a failed one does no harm.
 */
import type { KubeObject } from '../../api/object.ts';
import type { Client } from '../../kube/client/client.ts';
import { sleep, systemClock, type Clock } from '../../kube/clock.ts';
import type { Log } from '../../kube/log.ts';

export const POLICY_NAME = 'slipway-accounts';

const API = 'admissionregistration.k8s.io/v1';
const LOOK_SECONDS = 300;
/** After a look that failed. */
const AGAIN_SECONDS = 30;

export interface PolicyState {
  readonly inForce: boolean;
  /** The sentence for the log. */
  readonly message: string;
}

export interface AccountsPolicy {
  /** The result of the last check; undefined until one succeeds, and after a failed one. */
  readonly inForce: () => boolean | undefined;
  /** Looks again and again until `signal` aborts, and logs what changed; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** Reads through `client`, which needs no more than `list`; `namespace` is the manager's own. */
export function createAccountsPolicy(
  client: Pick<Client, 'list'>,
  namespace: string,
  log: Log,
  clock: Clock = systemClock,
): AccountsPolicy {
  let found: boolean | undefined;
  let logged: string | undefined;

  function logOnce(level: 'info' | 'warn', message: string, fields: object = {}): void {
    if (message === logged) return;
    logged = message;
    log[level]({ policy: POLICY_NAME, ...fields }, message);
  }

  async function look(signal: AbortSignal): Promise<void> {
    try {
      const { inForce, message } = judgePolicy(await listPolicy(client, signal), namespace);
      found = inForce;
      logOnce(inForce ? 'info' : 'warn', message);
    } catch (err) {
      if (signal.aborted) return;
      found = undefined;
      logOnce('info', 'whether the policy about accounts is in force cannot be read; it is tried again', { err });
    }
  }

  return {
    inForce: () => found,
    async run(signal) {
      while (!signal.aborted) {
        await look(signal);
        const seconds = found === undefined ? AGAIN_SECONDS : LOOK_SECONDS;
        await sleep(seconds, { clock, signal }).catch(() => undefined);
      }
    },
  };
}

export type PolicyObjects = readonly [policies: readonly KubeObject[], bindings: readonly KubeObject[]];

/** A binding may have any name. If the API server does not serve the kinds, there are none. */
export function listPolicy(client: Pick<Client, 'list'>, signal: AbortSignal): Promise<PolicyObjects> {
  const fieldSelector = `metadata.name=${POLICY_NAME}`;
  return Promise.all([
    client.list({ apiVersion: API, kind: 'ValidatingAdmissionPolicy' }, { fieldSelector }, signal),
    client.list({ apiVersion: API, kind: 'ValidatingAdmissionPolicyBinding' }, {}, signal),
  ]);
}

interface AdmissionPolicy extends KubeObject {
  readonly spec?: {
    readonly failurePolicy?: string;
    readonly matchConstraints?: {
      readonly resourceRules?: readonly { readonly operations?: readonly string[] }[];
    };
    readonly variables?: readonly { readonly name?: string; readonly expression?: string }[];
  };
}

interface Binding extends KubeObject {
  readonly spec?: {
    readonly policyName?: string;
    readonly validationActions?: readonly string[];
    readonly matchResources?: Readonly<Record<string, unknown>>;
  };
}

/**
 * Pure: whether the policies of that name are in force for the manager in `namespace`, given all bindings of the cluster.
 */
export function judgePolicy([policies, bindings]: PolicyObjects, namespace: string): PolicyState {
  const policy = (policies as readonly AdmissionPolicy[]).find(({ metadata }) => metadata.name === POLICY_NAME);
  const denying = (bindings as readonly Binding[]).filter(
    ({ spec }) => spec?.policyName === POLICY_NAME && spec.validationActions?.includes('Deny'),
  );
  const lacks =
    policy === undefined ? 'is not there' : (lackOf(policy, namespace) ?? (denying.length === 0 ? UNBOUND : undefined));
  if (lacks !== undefined) return { inForce: false, message: `${POLICY} ${lacks}. ${adviceFor(namespace)}` };
  if (denying.every(isLimited)) return { inForce: true, message: `${POLICY} is in force where its bindings select` };
  return { inForce: true, message: `${POLICY} is in force` };
}

const POLICY = `the policy ${POLICY_NAME}`;
const UNBOUND = 'has no binding that denies';
/** The namespace that deploy/policies/accounts.yaml asks about. */
const NAMESPACE_OF_FILE = 'slipway-system';

function adviceFor(namespace: string): string {
  const changed = namespace === NAMESPACE_OF_FILE ? '' : ` with ${namespace} in place of ${NAMESPACE_OF_FILE}`;
  return (
    'Subscriptions that name no ServiceAccount are installed with the rights of the manager: give rights on Subscriptions ' +
    `and Revisions only to administrators of the cluster, or apply deploy/policies/accounts.yaml${changed}, or with Helm ` +
    'set requireAccounts=true'
  );
}

function lackOf({ spec }: AdmissionPolicy, namespace: string): string | undefined {
  if (spec?.failurePolicy === 'Ignore') return 'lets pass what it cannot evaluate';
  const asked = spec?.matchConstraints?.resourceRules?.flatMap(({ operations = [] }) => operations) ?? [];
  const asksAboutDeletion = asked.includes('DELETE') || asked.includes('*');
  if (!asksAboutDeletion) return 'does not ask about deletions, as that of an earlier release';
  const { expression } = spec?.variables?.find(({ name }) => name === 'isManager') ?? {};
  const isOfAnother = expression !== undefined && !expression.includes(`.namespace('${namespace}')`);
  return isOfAnother ? `does not ask about the manager in namespace ${namespace}` : undefined;
}

/** The API server fills in selectors that are empty and select all. */
function isLimited({ spec }: Binding): boolean {
  const { matchPolicy: _, ...limits } = spec?.matchResources ?? {};
  return Object.values(limits).some((limit) => Object.keys(limit ?? {}).length > 0);
}
