/** `slipway adopt run --from olm-v1`: hands operators over from OLM v1, step by step, and waits for the end. */
import { HandOver } from '../../../../adoption/olm-v1/hand-over.ts';
import { describeStep } from '../../../../adoption/olm-v1/sentences.ts';
import { translateExtension } from '../../../../adoption/olm-v1/translate.ts';
import { cleanLine } from '../../../../report/clean.ts';
import type { Environment } from '../../environment.ts';
import { withCluster, type Connection } from '../../input/connection.ts';
import type { Outcome } from '../../outcome.ts';
import { follow, type Journey } from '../follow.ts';
import { requireOne, type AdoptRunFlags } from '../run.ts';
import { sourcesOf } from '../published.ts';
import { obstacleOf } from './obstacle.ts';
import { runAll } from '../run-all.ts';
import { nextExtension } from './extensions.ts';

export async function runExtensions(
  environment: Environment,
  name: string | undefined,
  flags: AdoptRunFlags,
): Promise<Outcome> {
  requireOne(name, flags);
  return withCluster(environment, flags, async (connection) =>
    name === undefined
      ? handOverAll(environment, connection, flags)
      : follow(environment, { name }, flags, (signal) => journeyOf({ environment, connection, flags }, name, signal)),
  );
}

function handOverAll(environment: Environment, connection: Connection, flags: AdoptRunFlags): Promise<Outcome> {
  const { systemNamespace: kept } = flags;
  const { signal } = environment;
  return runAll(
    {
      next: (isRefused) => nextExtension(connection.client, { kept, signal }, isRefused),
      async handOver({ name }) {
        environment.progress?.(`ClusterExtension ${cleanLine(name)}\n`);
        return follow(environment, { name }, flags, (until) =>
          journeyOf({ environment, connection, flags }, name, until),
        );
      },
      idOf: ({ name }) => name,
      toData: ({ name }) => name,
    },
    flags.output,
  );
}

interface RunOfExtension {
  readonly environment: Environment;
  readonly connection: Connection;
  readonly flags: AdoptRunFlags;
}

function journeyOf(
  { environment, connection, flags }: RunOfExtension,
  extension: string,
  signal: AbortSignal,
): Journey {
  const { name = extension, catalog } = flags;
  const handOver = new HandOver({
    cluster: connection.client,
    name: { extension, kept: flags.systemNamespace },
    wanted: ({ survey }) => translateExtension(survey, { name, ...(catalog !== undefined && { catalog }) }),
    obstacle: async (wanted, bundle) => obstacleOf(wanted, bundle, await sourcesOf(environment, connection, flags)),
    signal,
  });
  return {
    async next() {
      const { step, gathered } = await handOver.next();
      const { name: subscription, namespace } = gathered.backup?.wanted.metadata ?? { name };
      const text = `ClusterExtension ${extension} of OLM is handed over to Subscription ${namespace}/${subscription}\n`;
      return {
        step,
        sentence: describeStep(step, gathered.state),
        carryOut: () => handOver.carryOut(step, gathered),
        ...(step === 'Done' && { end: { data: { step, namespace, subscription }, text } }),
      };
    },
  };
}
