/**
 * The step of a test that shows which rights are enough to install a bundle: a ServiceAccount gets the roles that
 * `slipway rights --minimal` prints, and nothing else, and the operator is installed as this account.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isCrd } from '../../../../api/crd-kind.ts';
import type { KubeObject } from '../../../../api/object.ts';
import { fieldsOf, textOf } from '../../../../api/untyped.ts';
import type { Bundle } from '../../../../bundles/parse.ts';
import { findMissingRights } from '../../../../controllers/plan/missing-rights.ts';
import type { Client } from '../../../../kube/client/client.ts';
import { rolesFor } from '../../../../plan/rights/account-roles.ts';
import { EVERYWHERE } from '../../../../plan/rights/atom.ts';
import { joinRules, minimalRights, rightsToDelete } from '../../../../plan/rights/minimal.ts';
import type { ScopedRule } from '../../../../plan/rights/scoped-rule.ts';
import { objectsToInstall } from '../../rights/objects.ts';
import { versionOf } from './offer.ts';
import { TrialFailure, TrialScene, type SceneOptions } from './scene.ts';

/** Name of the ServiceAccount. */
const ACCOUNT = 'smallest-account';
const POLL_MILLISECONDS = 200;

/** Mutable: it remembers which rights are granted. */
export class AccountTrial {
  readonly #client: Client;
  readonly #options: SceneOptions;
  readonly #scene: TrialScene;
  #objects: readonly KubeObject[] = [];
  #mayRemove = true;

  /** @param options Those of the trial; its namespace and its Catalog exist, and its Subscription is deleted. */
  constructor(client: Client, options: SceneOptions) {
    this.#client = client;
    this.#options = options;
    this.#scene = new TrialScene(client, { ...options, serviceAccountName: ACCOUNT });
  }

  /** Installs the bundle as the account, and uninstalls it. @throws TrialFailure, and the errors of the API server */
  async run(bundle: Bundle, signal: AbortSignal): Promise<void> {
    const { namespace, name, watchNamespaces } = this.#options;
    this.#objects = objectsToInstall(bundle, { namespace, name, watchNamespaces });
    this.#mayRemove = false;
    await this.#scene.create(
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ACCOUNT, namespace } },
      signal,
    );
    await this.#grant(minimalRights(this.#objects), ACCOUNT, signal);
    await this.#awaitRights(signal);
    await this.#scene.install(versionOf(bundle), signal);
    await this.#allowRemoval(signal);
    await this.#scene.uninstall(signal);
  }

  /** Deletes all that was made. */
  async clean(signal: AbortSignal): Promise<void> {
    await this.#allowRemoval(signal);
    await this.#scene.clean(signal);
  }

  async #grant(rules: readonly ScopedRule[], name: string, signal: AbortSignal): Promise<void> {
    const holder = { namespace: this.#options.namespace, name: ACCOUNT };
    for (const role of rolesFor(rules, holder, name)) await this.#scene.create(role, signal);
  }

  /** The API server takes new roles up within moments; an installation before that would be refused. */
  async #awaitRights(signal: AbortSignal): Promise<void> {
    const { namespace, seconds } = this.#options;
    const account = { namespace, name: ACCOUNT };
    const acting = this.#client.as({ user: `system:serviceaccount:${namespace}:${ACCOUNT}` });
    const end = performance.now() + seconds * 1000;
    for (;;) {
      const missing = await findMissingRights(acting, { to: { objects: this.#objects } }, { account, signal });
      if (missing === undefined || missing.rules.length === 0) return;
      if (performance.now() > end)
        throw new TrialFailure(`the account does not get its rights within ${seconds} s: ${describe(missing.rules)}`);
      await delay(POLL_MILLISECONDS, undefined, { signal });
    }
  }

  /** The smallest rights have none to delete: a Subscription with them is uninstalled once they are granted. */
  async #allowRemoval(signal: AbortSignal): Promise<void> {
    if (this.#mayRemove) return;
    const instances = this.#objects.filter(isCrd).map(rightOverInstances);
    await this.#grant(joinRules([...rightsToDelete(this.#objects), ...instances]), `${ACCOUNT}-removal`, signal);
    this.#mayRemove = true;
  }
}

/** To delete the custom resources that the operator has made for itself. */
function rightOverInstances({ spec }: KubeObject): ScopedRule {
  const { group, names } = fieldsOf(spec);
  return {
    scope: EVERYWHERE,
    rule: {
      verbs: ['get', 'list', 'delete'],
      apiGroups: [textOf(group)],
      resources: [textOf(fieldsOf(names)['plural'])],
      resourceNames: [],
      nonResourceURLs: [],
    },
  };
}

function describe(rules: readonly ScopedRule[]): string {
  return rules.map(({ rule }) => `${rule.verbs.join(', ')} ${[...rule.resources, ...rule.nonResourceURLs].join(', ')}`).join('; '); // prettier-ignore
}
