/**
 * Whether OLM v0 is at rest after an installation. It carries out an InstallPlan again if another of its programs has written the
 * plan meanwhile, even once more after the plan is complete, and writes the CRDs without their conversion then; only
 * later it sees that, and turns the conversion on again.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldsOf, itemsOf, listOf, textOf, type Fields } from '../../../api/untyped.ts';
import type { TestCluster } from '../../cluster/cluster.ts';

const OLM = '/apis/operators.coreos.com/v1alpha1';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Whether OLM writes nothing of the version any more, and each CRD with a conversion webhook calls it. */
export async function isCarriedOut(
  cluster: Pick<TestCluster, 'read' | 'folder'>,
  { namespace, csv }: { readonly namespace: string; readonly csv: Fields },
): Promise<boolean> {
  const { name = '' } = fieldsOf(csv['metadata']) as { readonly name?: string };
  const { items } = await cluster.read(`${OLM}/namespaces/${namespace}/installplans`);
  const plans = listOf(items).filter((plan) =>
    itemsOf(fieldsOf(plan['spec'])['clusterServiceVersionNames']).includes(name),
  );
  return plans.every((plan) => hasSeenTheEnd(cluster, plan)) && (await areConverted(cluster, csv));
}

/** OLM handles a plan at one place at a time: once it was handled as complete, no execution is under way. */
function hasSeenTheEnd({ folder }: Pick<TestCluster, 'folder'>, plan: Fields): boolean {
  const { name } = fieldsOf(plan['metadata']);
  const log = readFileSync(join(folder, 'logs/catalog-operator.log'), 'utf8');
  return log.split('\n').some((line) => line.includes(`ip=${textOf(name)} `) && line.includes('phase=Complete'));
}

async function areConverted({ read }: Pick<TestCluster, 'read'>, csv: Fields): Promise<boolean> {
  const names = listOf(fieldsOf(csv['spec'])['webhookdefinitions']).flatMap(({ conversionCRDs }) =>
    itemsOf(conversionCRDs).map(textOf),
  );
  const crds = await Promise.all(names.map((name) => read(`${CRDS}/${name}`)));
  return crds.every(({ spec }) => fieldsOf(fieldsOf(spec)['conversion'])['strategy'] === 'Webhook');
}
