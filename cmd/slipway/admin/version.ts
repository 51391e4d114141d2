/** `slipway version`: the version of this program, of the manager and of Kubernetes. */
import { fieldsOf, textOf } from '../../../api/untyped.ts';
import { parseJson } from '../../../api/json.ts';
import type { Client } from '../../../kube/client/client.ts';
import type { OutputFlags } from '../flags.ts';
import type { Environment } from '../environment.ts';
import { withCluster, type KubeFlags } from '../input/connection.ts';
import type { Outcome } from '../outcome.ts';
import { formatFacts } from '../output/table.ts';
import { serverOf, type ServerVersion } from '../../../report/versions.ts';
import { MANAGER } from '../../../report/manager.ts';
import { outcomeOf } from './print.ts';

export interface VersionFlags extends KubeFlags, OutputFlags {
  /** Ask no cluster. */
  readonly client?: boolean;
  readonly systemNamespace: string;
}

export interface Versions {
  readonly client: { readonly version: string };
  /** Absent if the namespace has no Deployment of the manager. */
  readonly server?: ServerVersion;
  readonly kubernetes?: { readonly version: string };
}

/**
 * The version of the program is printed even if the cluster cannot be asked. @throws ReasonedError as `withCluster`; the
 * errors of the API server
 */
export async function version(environment: Environment, own: string, flags: VersionFlags): Promise<Outcome> {
  const client = { version: own };
  if (flags.client === true) return outcomeOf({ client }, printVersions({ client }), flags.output);
  try {
    return await withCluster(environment, flags, async (connection) => {
      const versions = { client, ...(await readServer(connection.client, flags, environment.signal)) };
      return outcomeOf(versions, printVersions(versions), flags.output);
    });
  } catch (error) {
    if (flags.output === 'text') environment.print(printVersions({ client }));
    throw error;
  }
}

async function readServer(
  client: Client,
  { systemNamespace: namespace }: VersionFlags,
  signal: AbortSignal,
): Promise<Omit<Versions, 'client'>> {
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: MANAGER };
  const [kubernetes, found] = await Promise.all([client.raw('/version', signal), client.get(deployment, signal)]);
  return {
    kubernetes: { version: textOf(fieldsOf(parseJson(kubernetes))['gitVersion']) },
    ...(found !== undefined && { server: serverOf(found) }),
  };
}

function printVersions({ client, server, kubernetes }: Versions): string {
  const differs = server !== undefined && server.version !== client.version;
  const text = formatFacts([
    ['Client', client.version],
    ['Server', server && `${server.version} (${server.ready} of ${server.replicas} replicas ready, ${server.image})`],
    ['Server', kubernetes && server === undefined ? `no Deployment ${MANAGER}` : undefined],
    ['Kubernetes', kubernetes?.version],
  ]);
  return differs ? `${text}Client and server differ: use the command line of the manager's version\n` : text;
}
