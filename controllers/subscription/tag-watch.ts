/**
 * Asks registries which contents the tags of failed bundles name now. That comes after all other work, as a rollback waits for no
 * registry, unless a person requests a reconcile. Each tag is asked for once in five minutes. The answers are kept in memory, and
 * may be lost. Input: the facts as they were observed; failed-tags.ts says which tags count. The reconciler calls it.
 */
import { ReasonedError } from '../../api/errors.ts';
import { keyOfObject } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Result } from '../../kube/controller/controller.ts';
import { parseReference } from '../../oci/reference.ts';
import type { EventFacts } from '../events.ts';
import { createRecent, type Recent } from '../recent.ts';
import { isReconcileRequested, requestOf } from '../request-of.ts';
import type { SubscriptionDeps } from './deps.ts';
import { failedTags, hasFailed, withCurrentContent, type FailedTag } from './failed-tags.ts';
import { planPull } from './images.ts';
import { LOOK_LATER_SECONDS, SOON_SECONDS } from './look-again.ts';
import type { SubscriptionFacts } from './observe.ts';

/** A registry that does not answer keeps no change of the Subscription waiting for long. */
const LONGEST_SECONDS = 10;

/** The last answer about a tag. */
interface KnownTag {
  /** That of the content that was tried last, if the registry has not answered. */
  readonly digest: string;
  /** The time of the reconcile, in milliseconds since 1970. */
  readonly askedAt: number;
  /** The request of a person at that time. */
  readonly request: string | undefined;
}

type WatchDeps = Pick<SubscriptionDeps, 'tags' | 'catalogOf' | 'record'>;
type AskDeps = WatchDeps & Required<Pick<WatchDeps, 'tags'>>;

export class TagWatch {
  readonly #known: Recent<KnownTag> = createRecent();

  /** The facts with the contents that the tags of failed bundles were last seen to name. */
  apply(facts: SubscriptionFacts): SubscriptionFacts {
    return withCurrentContent(facts, failedTags(facts), (image) => this.#knownOf(facts, image)?.digest);
  }

  /**
   * Asks for the tags whose turn it is, and reports those that were moved. Returns the pause until the next check; none if no bundle
   * failed that is named by a tag. An error of a registry is none of the Subscription: it is asked again.
   */
  async check(deps: WatchDeps, facts: SubscriptionFacts, signal: AbortSignal): Promise<Result> {
    const { tags: registries } = deps;
    const tags = registries === undefined ? [] : failedTags(facts);
    if (registries === undefined || tags.length === 0) return undefined;
    const due = tags.filter(({ target }) => this.#isDue(facts, target.bundle.image));
    const asking = { ...deps, tags: registries };
    const moved = await Promise.all(due.map((tag) => this.#ask(asking, facts, { tag, signal })));
    if (moved.includes(true)) return { requeueAfterSeconds: SOON_SECONDS };
    const ages = tags.map(({ target }) => this.#ageOf(facts, target.bundle.image));
    return { requeueAfterSeconds: Math.max(1, LOOK_LATER_SECONDS - Math.max(...ages)) };
  }

  /** Each request of a person counts once. */
  #isDue(facts: SubscriptionFacts, image: string): boolean {
    const { subscription } = facts;
    const isRequested =
      isReconcileRequested(subscription) &&
      this.#known.get(rememberedAs(subscription, image))?.request !== requestOf(subscription);
    return isRequested || this.#ageOf(facts, image) >= LOOK_LATER_SECONDS;
  }

  #ageOf({ subscription, now }: SubscriptionFacts, image: string): number {
    const known = this.#known.get(rememberedAs(subscription, image));
    return known === undefined ? Infinity : (now.getTime() - known.askedAt) / 1000;
  }

  /** An answer from an earlier failure says nothing any more. */
  #knownOf(facts: SubscriptionFacts, image: string): KnownTag | undefined {
    const isOld = this.#ageOf(facts, image) > 2 * LOOK_LATER_SECONDS;
    return isOld ? undefined : this.#known.get(rememberedAs(facts.subscription, image));
  }

  /** Returns whether the tag names another content than before. */
  async #ask(
    deps: AskDeps,
    facts: SubscriptionFacts,
    { tag, signal }: { readonly tag: FailedTag; readonly signal: AbortSignal },
  ): Promise<boolean> {
    const { subscription, now } = facts;
    const { image, name: bundle } = tag.target.bundle;
    const before = this.#knownOf(facts, image)?.digest ?? tag.tried;
    const digest = (await digestOf(deps, facts, { tag, signal })) ?? before;
    this.#known.set(rememberedAs(subscription, image), {
      digest,
      askedAt: now.getTime(),
      request: requestOf(subscription),
    });
    if (digest === before) return false;
    if (!hasFailed({ bundle, digest }, facts)) deps.record(subscription, describeMoved(tag, digest, subscription));
    return true;
  }
}

/** Undefined if the registry does not answer, or if nothing may be pulled from it. */
async function digestOf(
  { tags, catalogOf }: AskDeps,
  facts: SubscriptionFacts,
  { tag: { target }, signal }: { readonly tag: FailedTag; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const limit = AbortSignal.timeout(LONGEST_SECONDS * 1000);
  try {
    const { secretOf } = planPull(facts, target);
    const pullSecret = secretOf === undefined ? undefined : catalogOf(secretOf)?.spec.pullSecret?.name;
    const found = await tags(pullSecret).resolve(parseReference(target.bundle.image), AbortSignal.any([signal, limit]));
    return found.digest;
  } catch (error) {
    if (error instanceof ReasonedError || limit.aborted) return undefined;
    throw error;
  }
}

function describeMoved(
  { target: { bundle } }: FailedTag,
  digest: string,
  { status }: Pick<Subscription, 'status'>,
): EventFacts {
  return {
    type: 'Normal',
    reason: 'Progressing',
    action: status?.installed === undefined ? 'Install' : 'Upgrade',
    note: `${bundle.name} failed, and its tag was moved since: ${bundle.image} names ${digest} now, which counts as another version that may be tried`,
  };
}

function rememberedAs(subscription: Subscription, image: string): string {
  return `${keyOfObject(subscription)} ${image}`;
}
