/** `slipway adopt run`: hands operators over from OLM v0, step by step, and waits for the end. */
import { setTimeout as delay } from 'node:timers/promises';
import { HandOver, type Surprising } from '../../../adoption/olm-v0/hand-over.ts';
import type { Gathered } from '../../../adoption/olm-v0/gather.ts';
import { describeStep } from '../../../adoption/olm-v0/sentences.ts';
import { CATALOG } from '../../../api/catalog.ts';
import { listObjects, parseTarget, type ObjectTarget } from '../admin/objects.ts';
import { describeRestarts } from '../../../controllers/hand-over-trial.ts';
import { describeOverwritten, describeRefusedSettings } from '../../../controllers/overwritten.ts';
import type { Environment } from '../environment.ts';
import type { OutputFlags } from '../flags.ts';
import { withCluster, type Connection, type KubeFlags } from '../input/connection.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';
import { follow, type Journey } from './follow.ts';
import { nextOperator } from './operators.ts';
import { runAll } from './run-all.ts';
import { overwrittenOf } from './overwritten.ts';
import { findPublished, sourcesOf, type PublishedFlags } from './published.ts';
import { caveatOf, restartsOf } from './restarts.ts';
import { wantedFor, type WantedFlags } from './wanted.ts';

export interface AdoptRunFlags extends KubeFlags, OutputFlags, WantedFlags, PublishedFlags {
  readonly timeout: string;
  readonly all?: boolean;
  readonly allowRestarts?: boolean;
  readonly allowOverwrites?: boolean;
  readonly allNamespaces?: boolean;
}

export async function runAdoption(
  environment: Environment,
  text: string | undefined,
  flags: AdoptRunFlags,
): Promise<Outcome> {
  requireOne(text, flags);
  return withCluster(environment, flags, async (connection) => {
    if (text === undefined) return handOverAll(environment, connection, flags);
    const target = parseTarget(text, connection.namespace);
    return follow(environment, target, flags, (signal) =>
      handOverOf({ environment, connection, flags, signal }, target),
    );
  });
}

/** @throws ReasonedError InputInvalid if the flags do not name one operator or all */
export function requireOne(text: string | undefined, { all, name, catalog }: AdoptRunFlags): void {
  if ((text === undefined) !== (all === true))
    throw invalidInput('an operator or --all is needed, and not both', 'slipway adopt plan lists the operators');
  if (all === true && (name !== undefined || catalog !== undefined))
    throw invalidInput('--name and --catalog are for one operator', 'With --all each operator gets the Catalog of the name of its CatalogSource, if there is one'); // prettier-ignore
}

async function handOverAll(environment: Environment, connection: Connection, flags: AdoptRunFlags): Promise<Outcome> {
  const { client, namespace } = connection;
  const { signal } = environment;
  const options = flags.allNamespaces === true ? {} : { namespace };
  const catalogs = new Set((await listObjects(client, CATALOG, {}, signal)).map(({ metadata }) => metadata.name));
  return runAll(
    {
      next: (isRefused) => nextOperator(client, { options, kept: flags.systemNamespace, signal }, isRefused),
      async handOver({ namespace, name, sources }) {
        environment.progress?.(`Operator ${cleanLine(`${namespace}/${name}`)}\n`);
        const catalog = sources.find((source) => catalogs.has(source));
        const own = { ...flags, ...(catalog !== undefined && { catalog }) };
        return follow(environment, { namespace, name }, flags, (until) =>
          handOverOf({ environment, connection, flags: own, signal: until }, { namespace, name }),
        );
      },
      idOf: ({ namespace, name }) => `${namespace}/${name}`,
      toData: ({ namespace, name }) => ({ namespace, name }),
    },
    flags.output,
  );
}

interface OneHandOver {
  readonly environment: Environment;
  readonly connection: Connection;
  readonly flags: AdoptRunFlags;
  readonly signal: AbortSignal;
}

function handOverOf(run: OneHandOver, target: ObjectTarget): Journey {
  const { connection, flags, signal } = run;
  const handOver = new HandOver({
    cluster: connection.client,
    name: { namespace: target.namespace, subscription: target.name, kept: flags.systemNamespace },
    wanted: async ({ survey }) => (await wantedFor(connection.client, survey, { ...flags, signal })).manifest,
    surprises: (gathered, about) => findSurprises(run, gathered, about),
    sleep: (ms) => delay(ms, undefined, { signal }),
    signal,
  });
  return {
    async next() {
      const { step, gathered } = await handOver.next();
      const name = `${target.namespace}/${gathered.backup?.adoptedBy ?? target.name}`;
      const text = `Operator ${target.namespace}/${target.name} of OLM is handed over to Subscription ${name}\n`;
      return {
        step,
        sentence: describeStep(step, gathered),
        carryOut: () => handOver.carryOut(step, gathered),
        ...(step === 'Done' && { end: { data: { step, subscription: name }, text } }),
      };
    },
  };
}

/** That no Catalog has the version, or the Pods and edits that it would replace. With both flags nothing is compared. */
async function findSurprises(
  { environment, connection, flags, signal }: OneHandOver,
  { survey: { csv } }: Gathered,
  { wanted, objects }: Surprising,
): Promise<readonly string[]> {
  const { allowRestarts, allowOverwrites } = flags;
  if (csv === undefined || (allowRestarts === true && allowOverwrites === true)) return [];
  const sources = await sourcesOf(environment, connection, flags);
  const published = await findPublished(wanted, sources, csv.metadata.name);
  if (published.kind === 'absent') return [published.why];
  for (const caveat of caveatOf(published)) environment.progress?.(`${cleanLine(caveat)}\n`);
  const trial = { csv, wanted, published, now: new Date(), signal };
  const restarts = allowRestarts === true ? [] : describeRestarts(await restartsOf(connection.client, trial));
  const overwritten = await overwrittenOf(connection.client, trial, objects);
  const edited = allowOverwrites === true ? [] : describeOverwritten(overwritten);
  return [
    ...withRemedy(restarts, 'add --allow-restarts if that is acceptable'),
    ...describeRefusedSettings(overwritten),
    ...withRemedy(edited, 'copy the entries, and add --allow-overwrites'),
  ];
}

function withRemedy(sentences: readonly string[], remedy: string): readonly string[] {
  return sentences.length === 0 ? [] : [...sentences, remedy];
}
