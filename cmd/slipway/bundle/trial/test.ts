/**
 * `slipway bundle test`: installs a bundle in a namespace of its own in a cluster with Slipway, upgrades to it, has its
 * examples accepted and kept, uninstalls it, and installs it as an account with the smallest rights; whatever happens, the
 * objects of the test are deleted.
 */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseDuration } from '../../../../api/duration.ts';
import { describeRef, type KubeObject } from '../../../../api/object.ts';
import { refOfEntry } from '../../../../apply/inventory.ts';
import type { Environment } from '../../environment.ts';
import { withCluster, type Connection, type KubeFlags } from '../../input/connection.ts';
import type { Outcome } from '../../outcome.ts';
import { cleanLine } from '../../../../report/clean.ts';
import { identityOf } from '../identity.ts';
import { AccountTrial } from './account.ts';
import { offer, versionOf, type TrialOffer, type TrialFlags } from './offer.ts';
import { junit, stepTable } from './report.ts';
import { checkKept, createSamples, samplesOf } from './samples.ts';
import { TrialFailure, TrialScene } from './scene.ts';
import { runSteps, Skipped, type TestStep } from './steps.ts';

export interface TestFlags extends TrialFlags, Omit<KubeFlags, 'namespace'> {
  readonly watchNamespace?: readonly string[];
  readonly pullSecret?: string;
  readonly timeout: string;
  readonly junit?: string;
}

/** Seconds for deleting the objects of a test that was interrupted or has failed. */
const CLEAN_SECONDS = 120;
const TIMEOUT_BOUNDS = { minSeconds: 10, maxSeconds: 24 * 3600 } as const;

/** Exit code 2 if a step fails. @throws ReasonedError InputInvalid, errors of the registry and of the API server */
export async function test(environment: Environment, source: string, flags: TestFlags): Promise<Outcome> {
  const seconds = parseDuration(flags.timeout, TIMEOUT_BOUNDS);
  return withCluster(environment, flags, async (connection) => {
    const offered = await offer(environment, source, flags);
    const name = `slipway-test-${randomBytes(3).toString('hex')}`;
    const { watchNamespace, pullSecret } = flags;
    const options = {
      namespace: name,
      name,
      seconds,
      package: offered.package,
      repository: offered.repository,
      ...(watchNamespace !== undefined && { watchNamespaces: watchNamespace }),
      ...(pullSecret !== undefined && { pullSecret }),
    };
    const scene = new TrialScene(connection.client, options);
    const account = new AccountTrial(connection.client, options);
    try {
      await scene.prepare(false, environment.signal);
      const steps = new TestSteps(environment, connection, { offered, scene, account, namespace: name }).steps();
      const note = (step: string): void => environment.progress?.(`${step} …\n`);
      return await report(
        environment,
        { source, flags, offered },
        await runSteps(steps, { signal: environment.signal, note }),
      );
    } finally {
      await clean(environment, account, scene);
    }
  });
}

/** Deletes the objects of a trial, also after an interruption, which ends every other request. */
export async function clean(environment: Environment, ...scenes: readonly Cleanable[]): Promise<void> {
  const { signal, complain } = environment;
  if (signal.aborted) complain('slipway: the objects of the trial are deleted; interrupt again to keep them\n');
  for (const scene of scenes) {
    try {
      await scene.clean(AbortSignal.timeout(CLEAN_SECONDS * 1000));
    } catch (error) {
      complain(`slipway: not all objects of the trial are deleted: ${cleanLine((error as Error).message)}\n`);
    }
  }
}

/** Objects of a trial that can be deleted together. */
type Cleanable = Pick<TrialScene, 'clean'>;

interface TestScene {
  readonly offered: TrialOffer;
  readonly scene: TrialScene;
  readonly account: AccountTrial;
  readonly namespace: string;
}

class TestSteps {
  readonly #environment: Environment;
  readonly #connection: Connection;
  readonly #test: TestScene;
  #samples: readonly KubeObject[] = [];
  #inventory: Awaited<ReturnType<TrialScene['inventory']>> = [];

  constructor(environment: Environment, connection: Connection, test: TestScene) {
    this.#environment = environment;
    this.#connection = connection;
    this.#test = test;
  }

  /** In their order. */
  steps(): readonly TestStep[] {
    const { signal } = this.#environment;
    const { scene, account, offered } = this.#test;
    const [first, next] = offered.bundles;
    const install = (bundle: typeof first): Promise<void> => scene.install(versionOf(bundle), signal);
    return [
      { step: 'the bundle is offered', run: () => scene.offer(signal) },
      { step: `${versionOf(first)} is installed`, run: () => install(first) },
      { step: 'the examples are accepted', run: () => this.#createSamples(first) },
      ...(next === undefined
        ? []
        : [
            { step: `${versionOf(first)} is upgraded to ${versionOf(next)}`, run: () => install(next) },
            { step: 'the examples are kept', run: () => this.#checkKept() },
            { step: `the examples of ${versionOf(next)} are accepted`, run: () => this.#createSamples(next) },
          ]),
      { step: 'the operator is uninstalled', run: () => this.#uninstall() },
      { step: 'nothing is left', run: () => this.#checkGone() },
      { step: 'the smallest account is sufficient', run: () => account.run(next ?? first, signal) },
    ];
  }

  async #createSamples(bundle: TrialOffer['bundles'][0]): Promise<void> {
    const samples = samplesOf(bundle);
    if (samples.length === 0) throw new Skipped('the bundle has no examples');
    const { namespace } = this.#test;
    const { signal } = this.#environment;
    const created = await createSamples(this.#connection.client, samples, { namespace, signal });
    const known = new Set(this.#samples.map(({ metadata }) => metadata.uid));
    this.#samples = [...this.#samples, ...created.filter(({ metadata }) => !known.has(metadata.uid))];
  }

  async #checkKept(): Promise<void> {
    if (this.#samples.length === 0) throw new Skipped('the bundle has no examples');
    await checkKept(this.#connection.client, this.#samples, this.#environment.signal);
  }

  async #uninstall(): Promise<void> {
    this.#inventory = await this.#test.scene.inventory(this.#environment.signal);
    await this.#test.scene.uninstall(this.#environment.signal);
  }

  /** Neither an object of the inventory nor a sample is left. */
  async #checkGone(): Promise<void> {
    const { client } = this.#connection;
    const entries = this.#inventory.map((entry) => ({ ref: refOfEntry(entry), uid: entry.uid }));
    const left: string[] = [];
    for (const { ref, uid } of entries) {
      const object = await client.get(ref, this.#environment.signal);
      if (object !== undefined && (uid === undefined || object.metadata.uid === uid)) left.push(describeRef(ref));
    }
    if (left.length > 0) throw new TrialFailure(`these objects are left: ${left.join(', ')}`);
  }
}

interface Tested {
  readonly source: string;
  readonly flags: TestFlags;
  readonly offered: TrialOffer;
}

async function report(
  environment: Environment,
  { source, flags, offered }: Tested,
  results: Awaited<ReturnType<typeof runSteps>>,
): Promise<Outcome> {
  const last = offered.bundles.at(-1) ?? offered.bundles[0];
  const { name } = identityOf(last);
  if (flags.junit !== undefined) await writeFile(resolve(environment.folder, flags.junit), junit(name, results));
  const failed = results.filter(({ result }) => result === 'failed').length;
  const passed = results.filter(({ result }) => result === 'passed').length;
  return {
    data: { source, ...identityOf(last), repository: offered.repository, passed: failed === 0, results },
    text: `${stepTable(results, environment.columns)}\n${passed} passed, ${failed} failed, ${results.length - passed - failed} skipped\n`,
    exitCode: failed === 0 ? 0 : 2,
  };
}
