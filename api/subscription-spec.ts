/** The spec of a Subscription: the operator that is wanted, and the manner in which it is upgraded and removed. */
import * as z from 'zod';
import { duration, integer, list, listByKey, namespaceName, objectName, rules, set, text } from './fields.ts';
import type { Immutable } from './kind.ts';
import { labelSelector } from './label-selector.ts';
import { OperatorConfig } from './operator-config.ts';
import { Approval, UpgradePolicy } from './upgrade-policy.ts';

/** Bounds of `onFailure.progressDeadline`, `onFailure.bakeTime` and a window's duration. */
export const PROGRESS_DEADLINE_BOUNDS = { minSeconds: 1, maxSeconds: 24 * 3600 } as const;
export const BAKE_TIME_BOUNDS = { minSeconds: 0, maxSeconds: 24 * 3600 } as const;
export const WINDOW_BOUNDS = { minSeconds: 60, maxSeconds: 7 * 24 * 3600 } as const;

const OnFailure = z.object({
  strategy: z
    .enum(['Rollback', 'Hold', 'Retry'])
    .default('Rollback')
    .describe(
      'Rollback: if a new version fails, the version before it is applied again, and the new one is quarantined. If a new configuration of the installed version fails, it stays. Hold: nothing more is done until a person decides. Retry: objects that were refused are applied again, with growing delays, until the progress deadline is over.',
    ),
  progressDeadline: duration(PROGRESS_DEADLINE_BOUNDS)
    .default('10m')
    .describe('How long a Revision may take to become healthy before it counts as failed.'),
  bakeTime: duration(BAKE_TIME_BOUNDS)
    .default('10s')
    .describe(
      'How long a new Revision must stay healthy before the objects that only the old one had are pruned. One that becomes unhealthy within that time has failed; if the time is longer than a minute, once it was unhealthy for 30 s.',
    ),
});

const Waiver = z.object({
  crd: objectName().describe('Name of the CustomResourceDefinition: `gadgets.example.com`.'),
  rule: text(63)
    .regex(/^[A-Za-z][A-Za-z0-9]*$/)
    .describe('Name of the rule, as the message with the reason CRDUnsafe names it.'),
  reason: z.string().max(1024).optional().describe('Why the change is acceptable, for those who read it later.'),
});

const CrdUpgradeSafety = z.object({
  enforcement: z
    .enum(['Enforce', 'None'])
    .default('Enforce')
    .describe(
      'Enforce: an upgrade whose CRDs could lose or reject data that exists is refused. None: it is not checked.',
    ),
  waivers: listByKey(Waiver, 64, ['crd', 'rule'])
    .optional()
    .describe('Single rules on single CRDs that are not enforced.'),
});

const Window = z.object({
  cron: text(128)
    .regex(/^[0-9A-Za-z*/,#? -]+$/)
    .describe('When the window opens, in five cron fields: `0 2 * * SAT`.'),
  duration: duration(WINDOW_BOUNDS).describe('How long it stays open.'),
  timeZone: text(64)
    .regex(/^[A-Za-z][A-Za-z0-9_+/-]*$/)
    .default('UTC')
    .describe('IANA time zone of the cron fields: `Europe/Berlin`.'),
});

const Adopt = rules(
  z.object({
    from: z
      .enum(['OLMv0', 'OLMv1'])
      .describe(
        'The program that manages the operator now. OLMv0: OLM, up to version 0.x. OLMv1: OLM, from version 1.0.',
      ),
    subscription: objectName()
      .optional()
      .describe("With OLMv0 only: name of OLM's Subscription, in the namespace of this one."),
    clusterExtension: objectName()
      .optional()
      .describe('With OLMv1 only: name of the ClusterExtension. It installs in the namespace of this Subscription.'),
    restarts: z
      .enum(['Refuse', 'Allow'])
      .optional()
      .describe(
        'Whether the operator is adopted although Pods would be replaced, as dry runs of the API server show before anything is changed. Absent: Refuse.',
      ),
    overwrites: z
      .enum(['Refuse', 'Allow'])
      .optional()
      .describe(
        'Whether the operator is adopted although ConfigMaps and Secrets of its bundle were edited, and would be set back to its manifests. Absent: Refuse.',
      ),
  }),
  {
    rule: "self.from != 'OLMv0' || (has(self.subscription) && !has(self.clusterExtension))",
    message: 'must have subscription and no clusterExtension with from: OLMv0',
  },
  {
    rule: "self.from != 'OLMv1' || (has(self.clusterExtension) && !has(self.subscription))",
    message: 'must have clusterExtension and no subscription with from: OLMv1',
  },
);

const Uninstall = z.object({
  objects: z
    .enum(['Delete', 'Orphan'])
    .default('Delete')
    .describe(
      'Fate of the objects of the operator when the Subscription is deleted. Delete: the operator is uninstalled. Orphan: every object stays and the operator goes on, without upgrades and repairs, until a Subscription of the same name without serviceAccountName takes it up again or another program manages it.',
    ),
  customResources: z
    .enum(['Retain', 'Delete', 'Block'])
    .default('Retain')
    .describe(
      'When the Subscription is deleted and custom resources exist. Retain: CRDs that have some stay, and are named in an event. Delete: they are deleted first, while the operator still runs, then the rest. Block: nothing is deleted until they are gone.',
    ),
  dependencies: z
    .enum(['Retain', 'Delete'])
    .default('Retain')
    .describe(
      'Fate of Subscriptions that were made because this one depends on them, once nothing else needs them. Retain: they stay. Delete: they are deleted after this one.',
    ),
});

export const SubscriptionSpec = rules(
  z.object({
    package: rules(text(253).regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/), {
      rule: 'self == oldSelf',
      message: 'cannot be changed; create another Subscription',
    }).describe('Name of the package. Cannot be changed.'),
    catalog: objectName()
      .optional()
      .describe(
        'Name of the only Catalog to look in. Absent: every catalog, by priority; once installed, an operator stays with its catalog of origin unless that one no longer has it.',
      ),
    catalogSelector: labelSelector('a catalog').optional().describe('Labels of the Catalogs to look in.'),
    channel: text(253)
      .optional()
      .describe('Name of the channel. Absent: the default channel of the package; `*`: any.'),
    version: text(256)
      .optional()
      .describe(
        'Range of versions: `>=1.2.0 <2.0.0`, `~1.4`, `1.x || 2.0.1`. An exact version is a pin. Absent: any version.',
      ),
    approval: z
      .enum(['Automatic', 'Manual'])
      .default('Automatic')
      .describe('Whether a new Revision is applied at once, or waits until a person approves it.'),
    upgradePolicy: UpgradePolicy.optional().describe(
      'Which upgrades start by themselves. An upgrade outside of it waits for approval. Absent: the policy of the namespace, by the annotation `slipway.dev/upgrade-policy`, else that of the manager, by its flag; without any, all do. The first installation does not wait.',
    ),
    approve: Approval.optional().describe(
      'Approves one upgrade or installation, by version and by the hash of its plan. If the plan is another one by then, nothing is approved.',
    ),
    edges: z
      .enum(['Follow', 'Ignore'])
      .default('Follow')
      .describe(
        "Follow: upgrades go along the catalog's upgrade graph. Ignore: any version in range may follow, lower ones included.",
      ),
    dependencies: z
      .enum(['Install', 'Require', 'Ignore'])
      .default('Install')
      .describe(
        'Dependencies of the bundle. Install: they are installed; Require: they must be there; Ignore: they are not checked.',
      ),
    watchNamespaces: set(namespaceName(), 100)
      .min(1)
      .optional()
      .describe(
        'Namespaces that the operator watches. Absent: all of them, or the namespace of the Subscription if the bundle supports nothing else.',
      ),
    config: OperatorConfig.optional().describe("Changes to the operator's Deployments."),
    certificates: z
      .enum(['Manager', 'CertManager'])
      .default('Manager')
      .describe('The issuer of the certificates of webhooks: the manager itself, or cert-manager.'),
    operatorCondition: z
      .enum(['Auto', 'Always', 'Never'])
      .optional()
      .describe(
        'Whether the operator gets an OperatorCondition of OLM, by which it can hold its own upgrades, with the variable OPERATOR_CONDITION_NAME that names it. Auto, as if absent: if the cluster serves the kind and the bundle shows that the operator uses it, by the rights that it asks for or by the variable.',
      ),
    serviceAccountName: objectName()
      .optional()
      .describe(
        'ServiceAccount of the same namespace to act as. The API server then rejects each write that the account may not make. Absent: the manager acts as itself, and may do everything; a user who may create such a Subscription has the rights of an administrator of the cluster.',
      ),
    onFailure: OnFailure.prefault({}).describe('Reaction to a Revision that does not become healthy.'),
    crdUpgradeSafety: CrdUpgradeSafety.prefault({}).describe('How strictly changes of CRDs are checked.'),
    webhookSafety: z
      .enum(['Enforce', 'None'])
      .default('Enforce')
      .describe(
        'Enforce: the API server is asked to call the webhooks of the operator before anything depends on them, and new Pods answer before they replace those that work. None: they are not asked; for operators whose webhooks answer only while no other Pod runs.',
      ),
    windows: list(Window, 16)
      .min(1)
      .optional()
      .describe('When upgrades may start. Absent: always. The first installation and repairs do not wait.'),
    uninstall: Uninstall.prefault({}).describe('Rules for the uninstall, when the Subscription is deleted.'),
    adopt: Adopt.optional().describe(
      'Takes an operator over that runs already, without a restart of its Pods. Nothing is installed before that, and the condition Adopted reports the steps. Once there is a backup they go on to the end, also if this field is taken out or changed. It has no effect on an operator that this Subscription has installed.',
    ),
    historyLimit: integer(1, 100).default(10).describe('How many archived Revisions are kept.'),
    suspend: z
      .boolean()
      .default(false)
      .describe(
        'Do nothing until resumed: no upgrade, no repair, and no replacement of a certificate that the manager issued for a webhook. Deleting the Subscription still removes the operator.',
      ),
  }),
  {
    rule: '!(has(self.catalog) && has(self.catalogSelector))',
    message: 'may not have both catalog and catalogSelector',
  },
);
export type SubscriptionSpec = Immutable<z.infer<typeof SubscriptionSpec>>;
