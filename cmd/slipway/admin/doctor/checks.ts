/** What `slipway doctor` finds out about Slipway itself: one judgement for each fact that was read. Pure. */
import type { DoctorOptions, DoctorFinding, JudgedFinding } from '../../../../report/finding.ts';
import { judgeClocks, judgeLease } from '../../../../report/lease.ts';
import { MANAGER } from '../../../../report/manager.ts';
import { CRD_KINDS, describeCrd, type CrdState } from './crds.ts';
import { judgeVersions } from './versions.ts';
import { findCondition, type Condition } from '../../../../api/conditions.ts';
import type { KubeObject } from '../../../../api/object.ts';
import type { Subscription } from '../../../../api/subscription.ts';
import { fieldsOf, listOf, textOf } from '../../../../api/untyped.ts';
import { assessHealth } from '../../../../apply/health.ts';
import { judgePolicy, type PolicyObjects } from '../../../manager/accounts-policy.ts';
import { secondsBetween } from '../../../../report/age.ts';

/** A fact, or why it could not be read. */
export type ReadChecks<Fact> = { readonly fact: Fact } | { readonly failure: string };

export interface DoctorFacts {
  /** By the name of each CRD; undefined if it does not exist. */
  readonly crds: ReadChecks<ReadonlyMap<string, KubeObject | undefined>>;
  readonly deployment: ReadChecks<KubeObject | undefined>;
  readonly lease: ReadChecks<KubeObject | undefined>;
  /** Rights that the manager's account lacks; undefined if the API server does not let the user ask. */
  readonly missingRights: ReadChecks<readonly string[] | undefined>;
  readonly policy: ReadChecks<PolicyObjects>;
  readonly catalogs: ReadChecks<readonly KubeObject[]>;
  readonly subscriptions: ReadChecks<readonly Subscription[]>;
}

export interface ExamineOptions extends DoctorOptions {
  /** Of this program. */
  readonly version: string;
}

/** All findings, in the order in which faults are to be repaired. */
export function examine(facts: DoctorFacts, options: ExamineOptions): readonly DoctorFinding[] {
  const deployment = 'fact' in facts.deployment ? facts.deployment.fact : undefined;
  return [
    ...judged('CRDs', facts.crds, judgeCrds),
    ...judged('Manager', facts.deployment, (deployment) => judgeDeployment(deployment, options)),
    ...judged('Version', { fact: deployment }, (deployment) => judgeVersions(deployment, options.version)),
    ...judged('Rights', facts.missingRights, judgeRights),
    ...judged('Leader', facts.lease, (lease) => judgeLease(lease, options, deployment)),
    ...judged('Clocks', facts.lease, (lease) => judgeClocks(lease, options, deployment)),
    ...judged('Policy', facts.policy, (objects) => judgeAccounts(objects, options)),
    ...judged('Catalogs', facts.catalogs, (catalogs) => judgeCatalogs(catalogs, options)),
    ...judged('Subscriptions', facts.subscriptions, (all) => judgeSubscriptions(all, options)),
  ];
}

function judged<Fact>(
  check: string,
  read: ReadChecks<Fact>,
  judge: (fact: Fact) => readonly JudgedFinding[],
): readonly DoctorFinding[] {
  if ('failure' in read) return [{ check, level: 'unknown', message: `It cannot be read: ${read.failure}` }];
  return judge(read.fact).map((finding) => ({ check, ...finding }));
}

const APPLY = 'Apply the manifests of the release: docs/how-to/upgrade-slipway.md';

function judgeCrds(crds: ReadonlyMap<string, KubeObject | undefined>): readonly JudgedFinding[] {
  const states = CRD_KINDS.map((kind) => describeCrd(kind, crds));
  const faults = states.filter(({ level }) => level !== 'ok');
  if (faults.length === 0)
    return [{ level: 'ok', message: `${states.length} CRDs are served in the version of this program` }];
  return faults.map(({ level, message }: CrdState) => ({ level, message, advice: APPLY }));
}

function judgeDeployment(deployment: KubeObject | undefined, { namespace }: DoctorOptions): readonly JudgedFinding[] {
  if (deployment === undefined)
    return [
      {
        level: 'warning',
        message: `Namespace ${namespace} has no Deployment ${MANAGER}`,
        advice: 'Install the manager, name its namespace by --system-namespace, or start it outside of the cluster',
      },
    ];
  const { state, message } = assessHealth(deployment);
  const images = containersOf(deployment).map(({ image }) => textOf(image));
  if (state === 'Ready') return [{ level: 'ok', message: `Its Deployment is ready: ${images.join(', ')}` }];
  return [
    {
      level: 'error',
      message: `Deployment ${namespace}/${MANAGER}: ${message}`,
      advice: 'Read its log by `slipway logs --manager`',
    },
  ];
}

function containersOf(deployment: KubeObject): readonly Readonly<Record<string, unknown>>[] {
  const template = fieldsOf(fieldsOf(deployment['spec'])['template']);
  return listOf(fieldsOf(template['spec'])['containers']);
}

function judgeRights(missing: readonly string[] | undefined): readonly JudgedFinding[] {
  if (missing === undefined)
    return [{ level: 'unknown', message: "Asking about the manager's rights takes impersonate on its ServiceAccount" }];
  if (missing.length === 0)
    return [{ level: 'ok', message: 'The ServiceAccount of the manager has the rights it needs' }];
  return [
    { level: 'error', message: `The ServiceAccount of the manager may not: ${missing.join(', ')}`, advice: APPLY },
  ];
}

function judgeAccounts(objects: PolicyObjects, { namespace }: DoctorOptions): readonly JudgedFinding[] {
  const { inForce, message } = judgePolicy(objects, namespace);
  const sentence = `${message.slice(0, 1).toUpperCase()}${message.slice(1)}`;
  return [{ level: inForce ? 'ok' : 'warning', message: sentence }];
}

/** Whether each Catalog reports that its registry answers and its content is in service. */
function judgeCatalogs(catalogs: readonly KubeObject[], { now }: DoctorOptions): readonly JudgedFinding[] {
  if (catalogs.length === 0)
    return [{ level: 'warning', message: 'There is no Catalog, so no package can be installed', advice: 'Create one: docs/tutorial.md' }]; // prettier-ignore
  const faults = catalogs.flatMap((catalog): readonly JudgedFinding[] => {
    const conditions = fieldsOf(catalog['status'])['conditions'] as readonly Condition[] | undefined;
    const ready = findCondition(conditions, 'Ready');
    const name = `Catalog ${catalog.metadata.name}`;
    if (ready === undefined && isNew(catalog, now))
      return [{ level: 'warning', message: `${name}: it was just created` }];
    if (ready === undefined)
      return [{ level: 'error', message: `${name}: no manager has begun to read it`, advice: READ_LOG }];
    const isPassing = ready.reason === 'CatalogStale' || ready.reason === 'Progressing';
    if (ready.status === 'True' && !isPassing) return [];
    return [{ level: isPassing ? 'warning' : 'error', message: `${name} (${ready.reason}): ${ready.message}` }];
  });
  if (faults.length > 0) return faults;
  return [{ level: 'ok', message: `${catalogs.length === 1 ? 'The Catalog is' : `${catalogs.length} Catalogs are`} in service, and their registries answer` }]; // prettier-ignore
}

/** An object waits no longer than this for its first status if a manager is at work. */
const FIRST_STATUS_SECONDS = 60;

function isNew({ metadata }: KubeObject, now: Date): boolean {
  return (secondsBetween(metadata.creationTimestamp, now.toISOString()) ?? Infinity) <= FIRST_STATUS_SECONDS;
}

const READ_LOG = "Read the manager's log by `slipway logs --manager`";

function judgeSubscriptions(subscriptions: readonly Subscription[], { now }: DoctorOptions): readonly JudgedFinding[] {
  const ignored = subscriptions.filter(
    (one) => findCondition(one.status?.conditions, 'Ready') === undefined && !isNew(one, now),
  );
  const [first] = ignored;
  if (first === undefined) return [{ level: 'ok', message: `A manager has reconciled all ${subscriptions.length} Subscriptions` }]; // prettier-ignore
  return [
    {
      level: 'error',
      message: `No manager has reconciled ${ignored.length} of ${subscriptions.length} Subscriptions, such as ${first.metadata.namespace}/${first.metadata.name}`,
      advice: READ_LOG,
    },
  ];
}
