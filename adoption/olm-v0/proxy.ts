/**
 * The variables of OpenShift's cluster-wide proxy: OLM sets them in each container of each operator, and Slipway does not.
 * @see https://github.com/operator-framework/operator-lifecycle-manager/tree/master/pkg/controller/operators/olm/overrides
 */
import type { Cluster } from '../../api/cluster.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../../api/untyped.ts';
import { publishedDeployments, type OlmSurvey } from './survey.ts';

const VARIABLES: readonly string[] = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];

/**
 * The variables with a value that containers of the operator's Deployments have in the cluster, and neither the ClusterServiceVersion
 * nor the configuration of OLM's Subscription gives them: entries for `spec.config.env`. One request for each Deployment. Throws
 * the errors of the client.
 */
export async function proxyOf(
  cluster: Pick<Cluster, 'get'>,
  { namespace, subscription, csv }: Pick<OlmSurvey, 'namespace' | 'subscription' | 'csv'>,
  signal: AbortSignal,
): Promise<readonly Fields[]> {
  const published = publishedDeployments(csv);
  const refs = published.map(({ name }) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespace,
    name: textOf(name),
  }));
  const live = await Promise.all(refs.map((ref) => cluster.get(ref, signal)));
  const configured = listOf(fieldsOf(fieldsOf(subscription?.['spec'])['config'])['env']);
  const stated = new Set([...published.flatMap(variablesOf), ...configured].map(nameOf));
  const found = live.flatMap((one) => variablesOf(fieldsOf(one)));
  const valueOf = (name: string): string => textOf(found.find((one) => nameOf(one) === name)?.['value']);
  const added = VARIABLES.filter((name) => !stated.has(name) && valueOf(name) !== '');
  return added.map((name) => ({ name, value: valueOf(name) }));
}

/** The variables of the containers of a Deployment. */
function variablesOf({ spec }: Fields): readonly Fields[] {
  const { containers } = fieldsOf(fieldsOf(fieldsOf(spec)['template'])['spec']);
  return listOf(containers).flatMap(({ env }) => listOf(env));
}

function nameOf(variable: Fields): string {
  return textOf(variable['name']);
}
