/** `slipway try`: has a manager install a bundle that is not published yet, and shows how it gets on. */
import { parseDuration } from '../../../../api/duration.ts';
import { ReasonedError } from '../../../../api/errors.ts';
import { logs } from '../../admin/logs.ts';
import type { Environment } from '../../environment.ts';
import type { OutputFlags } from '../../flags.ts';
import { withCluster, type KubeFlags } from '../../input/connection.ts';
import { invalidInput } from '../../../../api/invalid-input.ts';
import type { Outcome } from '../../outcome.ts';
import { cleanLine } from '../../../../report/clean.ts';
import { identityOf } from '../identity.ts';
import { offer, versionOf, type TrialFlags } from './offer.ts';
import { TrialFailure, TrialScene } from './scene.ts';
import { clean } from './test.ts';

export interface TryFlags extends TrialFlags, KubeFlags, OutputFlags {
  readonly name?: string;
  readonly rm?: boolean;
  readonly watchNamespace?: readonly string[];
  readonly pullSecret?: string;
  readonly timeout: string;
}

const TIMEOUT_BOUNDS = { minSeconds: 10, maxSeconds: 24 * 3600 } as const;
/** Lines of each container's log. */
const LAST_LINES = '10';

/** Exit code 2 if the operator does not become ready. @throws ReasonedError InputInvalid, errors of registry and API server */
export async function tryOut(environment: Environment, source: string, flags: TryFlags): Promise<Outcome> {
  const seconds = parseDuration(flags.timeout, TIMEOUT_BOUNDS);
  return withCluster(environment, flags, async ({ client, namespace }) => {
    const { signal } = environment;
    const offered = await offer(environment, source, flags);
    const name = flags.name ?? `try-${offered.package}`;
    if (!/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(name))
      throw invalidInput(`${JSON.stringify(name)} cannot be the name of a Subscription`, 'Choose one by --name');
    const { watchNamespace, pullSecret } = flags;
    const scene = new TrialScene(client, {
      namespace,
      name,
      seconds,
      package: offered.package,
      repository: offered.repository,
      ...(watchNamespace !== undefined && { watchNamespaces: watchNamespace }),
      ...(pullSecret !== undefined && { pullSecret }),
    });
    let isDone = false;
    try {
      await scene.prepare(true, signal);
      const failure = await bring(environment, scene, offered.bundles.map(versionOf));
      await showLogs(environment, `${namespace}/${name}`, flags);
      isDone = true;
      return outcome(
        { target: `${namespace}/${name}`, name, bundle: offered.bundles.at(-1) ?? offered.bundles[0], failure },
        flags,
      );
    } finally {
      if (flags.rm === true || (signal.aborted && !isDone)) await clean(environment, scene);
    }
  });
}

/** Why the last version does not run; undefined if it does. */
async function bring(
  environment: Environment,
  scene: TrialScene,
  versions: readonly string[],
): Promise<string | undefined> {
  const { signal, progress } = environment;
  try {
    await scene.offer(signal);
    for (const version of versions) {
      progress?.(`installing ${version} …\n`);
      await scene.install(version, signal);
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof TrialFailure) || signal.aborted) throw error;
    return error.message;
  }
}

/** A log that cannot be read is no failure of the operator. */
async function showLogs(environment: Environment, target: string, flags: TryFlags): Promise<void> {
  if (flags.output === 'json') return;
  try {
    await logs(environment, target, { ...flags, tail: LAST_LINES, systemNamespace: 'slipway-system', output: 'text' });
  } catch (error) {
    if (!(error instanceof ReasonedError) || environment.signal.aborted) throw error;
    environment.complain(`slipway: no log can be shown: ${cleanLine(error.message)}\n`);
  }
}

interface Tried {
  readonly target: string;
  readonly name: string;
  readonly bundle: Parameters<typeof identityOf>[0];
  readonly failure: string | undefined;
}

function outcome({ target, name, bundle, failure }: Tried, { rm }: TryFlags): Outcome {
  const identity = identityOf(bundle);
  const verdict = failure === undefined ? `${identity.name} runs` : `${identity.name} does not run: ${failure}`;
  const next =
    rm === true
      ? `Subscription ${target} and Catalog ${name} are deleted`
      : `It stays as Subscription ${target}; remove it by: slipway uninstall ${target} && kubectl delete catalogs.slipway.dev ${name}`;
  return {
    data: {
      ...identity,
      subscription: target,
      ready: failure === undefined,
      ...(failure !== undefined && { message: failure }),
      removed: rm === true,
    },
    text: `${cleanLine(verdict)}\n${cleanLine(next)}\n`,
    exitCode: failure === undefined ? 0 : 2,
  };
}
