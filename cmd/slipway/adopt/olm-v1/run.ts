/** `slipway adopt run --from olm-v1`: hands operators over from OLM v1, step by step, and waits for the end. */
import { HandOver } from '../../../../adoption/olm-v1/hand-over.ts';
import { describeStep } from '../../../../adoption/olm-v1/sentences.ts';
import { translateExtension } from '../../../../adoption/olm-v1/translate.ts';
import { cleanLine } from '../../../../report/clean.ts';
import { count } from '../../../../report/count.ts';
import { outcomeOf } from '../../admin/print.ts';
import type { Environment } from '../../environment.ts';
import { withCluster, type Connection } from '../../input/connection.ts';
import type { Outcome } from '../../outcome.ts';
import { follow, type Journey } from '../follow.ts';
import { requireOne, type AdoptRunFlags } from '../run.ts';
import { sourcesOf } from '../published.ts';
import { obstacleOf } from './obstacle.ts';
import { nextExtension, type ExtensionRow } from './extensions.ts';

export async function runExtensions(
  environment: Environment,
  name: string | undefined,
  flags: AdoptRunFlags,
): Promise<Outcome> {
  requireOne(name, flags);
  return withCluster(environment, flags, async (connection) =>
    name === undefined
      ? runAll(environment, connection, flags)
      : follow(environment, { name }, flags, (signal) => journeyOf({ environment, connection, flags }, name, signal)),
  );
}

/** Operator after operator, until none is ready; an error or a step that does not end in time ends the command. */
async function runAll(environment: Environment, connection: Connection, flags: AdoptRunFlags): Promise<Outcome> {
  const done: string[] = [];
  for (;;) {
    const { next, rest } = await nextExtension(connection.client, flags.systemNamespace, environment.signal);
    if (next === undefined) return endOfAll(done, rest, flags.output);
    environment.progress?.(`ClusterExtension ${cleanLine(next)}\n`);
    const outcome = await follow(environment, { name: next }, flags, (signal) =>
      journeyOf({ environment, connection, flags }, next, signal),
    );
    if (outcome.exitCode !== 0) return outcome;
    done.push(next);
  }
}

function endOfAll(done: readonly string[], rest: readonly ExtensionRow[], output: string): Outcome {
  const names = done.map((name) => `  ${cleanLine(name)}\n`).join('');
  const left = rest.map(({ name, message }) => `  ${cleanLine(`${name}: ${message}`)}\n`).join('');
  const text = [
    `${count(done.length, 'operator')} handed over${done.length === 0 ? '' : ':'}\n${names}`,
    rest.length === 0 ? '' : `Not handed over:\n${left}`,
  ].join('');
  return outcomeOf({ handedOver: done, notHandedOver: rest }, text, output, rest.length > 0 ? 2 : 0);
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
