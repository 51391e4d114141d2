/**
 * The objects of a trial in a cluster: a namespace, a Catalog and a Subscription, which are made, followed and deleted
 * again. Only objects that the trial has made are deleted.
 */
import { isAlreadyExists } from '../../../../api/api-answers.ts';
import { CATALOG } from '../../../../api/catalog.ts';
import type { CustomKind } from '../../../../api/kind.ts';
import { KINDS } from '../../../../api/kinds.ts';
import { API_VERSION } from '../../../../api/names.ts';
import type { KubeObject, ObjectRef } from '../../../../api/object.ts';
import { REVISION, type Revision } from '../../../../api/revision.ts';
import { SUBSCRIPTION, type Subscription } from '../../../../api/subscription.ts';
import { fieldsOf, listOf, textOf } from '../../../../api/untyped.ts';
import type { Client } from '../../../../kube/client/client.ts';
import { explainMissing, listObjects, servedKind } from '../../admin/objects.ts';
import { verdictOf } from '../../admin/wait.ts';
import { changesOf } from '../../admin/watch.ts';
import { invalidInput } from '../../../../api/invalid-input.ts';

export interface SceneNames {
  readonly namespace: string;
  /** Of the Catalog and of the Subscription. */
  readonly name: string;
}

export interface SceneOptions extends SceneNames {
  readonly package: string;
  readonly repository: string;
  /** Seconds that each step may take. */
  readonly seconds: number;
  readonly pullSecret?: string;
  readonly watchNamespaces?: readonly string[];
  readonly serviceAccountName?: string;
}

/** A step that ended otherwise than was wanted; the message is the one of the manager, or of the API server. */
export class TrialFailure extends Error {}

export class TrialScene {
  readonly #client: Client;
  readonly #options: SceneOptions;
  readonly #made: ObjectRef[] = [];

  constructor(client: Client, options: SceneOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Makes the namespace, unless it exists and may be used. @throws ReasonedError InputInvalid if Slipway is missing */
  async prepare(mayExist: boolean, signal: AbortSignal): Promise<void> {
    await listObjects(this.#client, SUBSCRIPTION, { namespace: this.#options.namespace }, signal);
    const { namespace: name } = this.#options;
    try {
      await this.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, signal);
    } catch (error) {
      if (!mayExist || !isAlreadyExists(error)) throw error;
    }
  }

  /** Makes the Catalog, and waits until it is served. @throws TrialFailure */
  async offer(signal: AbortSignal): Promise<void> {
    const { name, repository, package: packageName, pullSecret } = this.#options;
    const source = { repositories: [{ repository, package: packageName }] };
    const spec = { source, ...(pullSecret !== undefined && { pullSecret: { name: pullSecret } }) };
    await this.#createOurs(CATALOG, { name }, spec, signal);
    await this.#follow(CATALOG, { name }, signal, (object) => {
      const ready = listOf(fieldsOf(object?.['status'])['conditions']).find((one) => one['type'] === 'Ready');
      if (ready?.['status'] === 'True') return { outcome: 'reached' };
      const isFinal = ready?.['status'] === 'False' && ready['reason'] !== 'Progressing';
      return { outcome: isFinal ? 'failed' : 'open', message: textOf(ready?.['message']) };
    });
  }

  /** Makes the Subscription to a version, or sets the version of the one that exists, and waits. @throws TrialFailure */
  async install(version: string, signal: AbortSignal): Promise<void> {
    const { name, namespace, package: packageName, watchNamespaces, serviceAccountName, seconds } = this.#options;
    const isFirst = !this.#made.some(({ kind }) => kind === SUBSCRIPTION.kind);
    const spec = {
      package: packageName,
      catalog: name,
      channel: '*',
      version,
      uninstall: { customResources: 'Delete' },
      onFailure: { strategy: 'Hold', progressDeadline: `${seconds}s` },
      ...(watchNamespaces !== undefined && { watchNamespaces }),
      ...(serviceAccountName !== undefined && { serviceAccountName }),
    };
    if (isFirst) await this.#createOurs(SUBSCRIPTION, { name, namespace }, spec, signal);
    else await this.#client.patch(this.subscription, { spec: { version } }, {}, signal);
    await this.#follow(SUBSCRIPTION, { name, namespace }, signal, (object) => {
      const subscription = object as unknown as Subscription | undefined;
      return refusalOf(subscription) ?? verdictOf(subscription, { for: 'ready', version });
    });
  }

  get subscription(): ObjectRef {
    const { name, namespace } = this.#options;
    return { ...servedKind(SUBSCRIPTION), namespace, name };
  }

  /** The inventory of the active Revision. */
  async inventory(signal: AbortSignal): Promise<NonNullable<NonNullable<Revision['status']>['inventory']>> {
    const { namespace, name } = this.#options;
    const all = (await listObjects(this.#client, REVISION, { namespace }, signal)) as unknown as readonly Revision[];
    return all.find(({ spec }) => spec.subscription === name && spec.state === 'Active')?.status?.inventory ?? [];
  }

  /** Deletes the Subscription, and waits until it is gone. @throws TrialFailure */
  async uninstall(signal: AbortSignal): Promise<void> {
    const { name, namespace } = this.#options;
    await this.#client.delete(this.subscription, {}, signal);
    await this.#follow(SUBSCRIPTION, { name, namespace }, signal, (object) =>
      verdictOf(object as unknown as Subscription | undefined, { for: 'deleted' }),
    );
  }

  /** Deletes all that was made, the Subscription first; waits for nothing but the Subscription. */
  async clean(signal: AbortSignal): Promise<void> {
    if (
      this.#made.some(({ kind }) => kind === SUBSCRIPTION.kind) &&
      (await this.#client.get(this.subscription, signal)) !== undefined
    )
      await this.uninstall(signal);
    for (const ref of this.#made.toReversed()) {
      if (ref.kind !== SUBSCRIPTION.kind) await this.#client.delete(ref, {}, signal);
    }
  }

  async #createOurs(
    kind: CustomKind,
    metadata: { readonly name: string; readonly namespace?: string },
    spec: object,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await this.create({ apiVersion: API_VERSION, kind: kind.kind, metadata, spec }, signal, servedKind(kind));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      throw invalidInput(
        `${kind.kind} ${metadata.name} exists already`,
        'Delete it, or choose another name by --name',
        error,
      );
    }
  }

  /** Makes an object, which `clean` deletes. @throws the errors of the API server */
  async create(object: KubeObject, signal: AbortSignal, kind: Partial<ObjectRef> = {}): Promise<void> {
    const { apiVersion, metadata } = object;
    const { name, namespace } = metadata;
    const { served } = kind;
    const making = () => this.#client.create(object, served === undefined ? {} : { served }, signal);
    const own = KINDS.find((one) => one.kind === object.kind && apiVersion === API_VERSION);
    await (own === undefined ? making() : explainMissing(own, making));
    this.#made.push({
      apiVersion,
      kind: object.kind,
      name,
      ...(namespace !== undefined && { namespace }),
      ...(served !== undefined && { served }),
    });
  }

  /** Follows an object until its outcome is known or the time is up. */
  async #follow(
    kind: CustomKind,
    { name, namespace }: { readonly name: string; readonly namespace?: string },
    outer: AbortSignal,
    judge: (object: KubeObject | undefined) => {
      readonly outcome: 'reached' | 'failed' | 'open';
      readonly message?: string;
    },
  ): Promise<void> {
    const timeout = AbortSignal.timeout(this.#options.seconds * 1000);
    const signal = AbortSignal.any([outer, timeout]);
    const options = { fieldSelector: `metadata.name=${name}`, ...(namespace !== undefined && { namespace }) };
    let [found, last]: [KubeObject | undefined, string] = [undefined, ''];
    try {
      for await (const changes of changesOf({ client: this.#client, kind, options, signal })) {
        for (const { type, object } of changes)
          if (object.metadata.name === name) found = type === 'DELETED' ? undefined : object;
        const { outcome, message = '' } = judge(found);
        if (outcome === 'reached') return;
        if (outcome === 'failed') throw new TrialFailure(message);
        last = message;
      }
    } catch (error) {
      if (!timeout.aborted || outer.aborted) throw error;
    }
    throw new TrialFailure(
      `not within ${this.#options.seconds} s: ${last === '' ? `${kind.kind} ${name} has no status` : last}`,
    );
  }
}

/**
 * The failure of an installation by an account that lacks a right. The manager waits for the right; a trial does not, since
 * it has granted all rights before. The longest message is the one that is not shortened for a column.
 */
function refusalOf(
  subscription: Subscription | undefined,
): { readonly outcome: 'failed'; readonly message: string } | undefined {
  if (subscription?.spec.serviceAccountName === undefined) return undefined;
  const refused = (subscription.status?.conditions ?? []).filter(({ reason }) => reason === 'Forbidden');
  const [longest] = refused.toSorted((one, other) => other.message.length - one.message.length);
  return longest && { outcome: 'failed', message: longest.message };
}
