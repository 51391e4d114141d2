/** `slipway doctor`: checks Slipway itself with the rights of the user, and changes nothing. */
import { ReasonedError } from '../../../../api/errors.ts';
import { CATALOG } from '../../../../api/catalog.ts';
import type { Subscription } from '../../../../api/subscription.ts';
import { SUBSCRIPTION } from '../../../../api/subscription.ts';
import type { Client } from '../../../../kube/client/client.ts';
import { listPolicy } from '../../../manager/accounts-policy.ts';
import type { Environment } from '../../environment.ts';
import type { OutputFlags } from '../../flags.ts';
import { withCluster, type KubeFlags } from '../../input/connection.ts';
import type { Outcome } from '../../outcome.ts';
import { cleanLine } from '../../../../report/clean.ts';
import { count } from '../../../../report/count.ts';
import { servedKind } from '../objects.ts';
import { outcomeOf } from '../print.ts';
import { examine, type DoctorFacts, type ReadChecks } from './checks.ts';
import type { DoctorFinding } from '../../../../report/finding.ts';
import { CRD_KINDS, crdNameOf } from './crds.ts';
import { MANAGER } from '../../../../report/manager.ts';
import { missingRights } from './rights.ts';

export interface DoctorFlags extends KubeFlags, OutputFlags {
  readonly systemNamespace: string;
}

/** @param own The version of this program */
export async function doctor(environment: Environment, own: string, flags: DoctorFlags): Promise<Outcome> {
  return withCluster(environment, flags, async ({ client }) => {
    const facts = await gather(client, flags.systemNamespace, environment.signal);
    const findings = examine(facts, { namespace: flags.systemNamespace, now: new Date(), version: own });
    const isFaulty = findings.some(({ level }) => level === 'error') || !findings.some(({ level }) => level === 'ok');
    return outcomeOf({ findings }, printFindings(findings), flags.output, isFaulty ? 2 : 0);
  });
}

const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  served: { plural: 'customresourcedefinitions', namespaced: false },
};

/** Everything at once. @throws ReasonedError ApiUnavailable: without an API server there is nothing to judge */
async function gather(client: Client, namespace: string, signal: AbortSignal): Promise<DoctorFacts> {
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: MANAGER };
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name: MANAGER };
  const names = CRD_KINDS.map(crdNameOf);
  const crds = names.map(async (name) => [name, await client.get({ ...CRD, name }, signal)] as const);
  const list = (kind: typeof CATALOG | typeof SUBSCRIPTION) => client.list(servedKind(kind), {}, signal);
  const [ofCrds, ofDeployment, ofLease, ofRights, ofPolicy, ofCatalogs, ofSubscriptions] = await Promise.all([
    read(Promise.all(crds).then((all) => new Map(all))),
    read(client.get(deployment, signal)),
    read(client.get(lease, signal)),
    read(missingRights(client, namespace, signal)),
    read(listPolicy(client, signal)),
    read(list(CATALOG)),
    read(list(SUBSCRIPTION)),
  ]);
  return {
    crds: ofCrds,
    deployment: ofDeployment,
    lease: ofLease,
    missingRights: ofRights,
    policy: ofPolicy,
    catalogs: ofCatalogs,
    subscriptions: ofSubscriptions as ReadChecks<readonly Subscription[]>,
  };
}

async function read<Fact>(work: Promise<Fact>): Promise<ReadChecks<Fact>> {
  try {
    return { fact: await work };
  } catch (error) {
    if (!(error instanceof ReasonedError) || error.reason === 'ApiUnavailable') throw error;
    return { failure: error.message };
  }
}

/** Two lines for each finding at most, and one that counts them. */
export function printFindings(findings: readonly DoctorFinding[]): string {
  const lines = findings.map(({ check, level, message, advice }) => {
    const text = cleanLine(`${level}: ${check}: ${message}`);
    return `${text}\n${advice === undefined ? '' : `  ${cleanLine(advice)}\n`}`;
  });
  const numberOf = (level: DoctorFinding['level']): number => findings.filter((one) => one.level === level).length;
  return `${lines.join('')}\n${count(numberOf('error'), 'error')}, ${count(numberOf('warning'), 'warning')}\n`;
}
