/**
 * Puts the manager together: the shared parts (parts.ts), the controllers (controllers.ts), and the changes outside of
 * their watches that wake them. The folder of each part shows how it works.
 */
import type { Registry as MetricsRegistry } from 'prom-client';
import type { CatalogContent } from '../../controllers/catalog-content.ts';
import { ownKey } from '../../kube/controller/controller.ts';
import type { Fence } from '../../kube/election/fence.ts';
import type { InformerFactory } from '../../kube/watch/informer-factory.ts';
import type { HealthCheck } from '../serving/answer-checks.ts';
import { checkCaches } from '../serving/ready.ts';
import { describeWork } from './checks.ts';
import {
  createCatalogController,
  createContentFollower,
  createLateObjectsController,
  createRegistryPolicyController,
  createPlanController,
  createRevisionController,
  createSubscriptionController,
} from './controllers.ts';
import { registerState } from './metrics.ts';
import { createParts, type Parts, type ManagerContext } from './parts.ts';
import { activeRevisionOf, heldBy } from './wakes.ts';

export interface Manager {
  readonly informers: InformerFactory;
  readonly content: CatalogContent;
  readonly metrics: MetricsRegistry;
  /** Whether our own kinds were listed. */
  readonly cachesReady: HealthCheck;
  /** Whether the catalogs are served that this replica can serve. */
  readonly catalogsReady: HealthCheck;
  /** The reconciles under way, and their durations. */
  readonly work: HealthCheck;
  /** Serves the content that the leader has found, until `signal` aborts; on a replica that does not lead. */
  follow(signal: AbortSignal): Promise<void>;
  /** Runs the controllers until `signal` aborts; only the leader does. */
  run(signal: AbortSignal): Promise<void>;
}

/** A shutdown waits no longer than this for events to be sent. */
export const FLUSH_MILLISECONDS = 2000;

export function wireManager(context: ManagerContext): Manager {
  const parts = createParts(context);
  const { informers, content, caches, attempts } = parts;
  registerState(context.metrics, { ...caches, content });
  const follower = createContentFollower(parts);
  const controllers = createControllers(parts);
  const running = Object.values(controllers);
  wake(parts, controllers);
  return {
    informers,
    content,
    metrics: context.metrics,
    cachesReady: checkCaches(Object.values(caches)),
    catalogsReady: async () => {
      checkCaches([caches.catalogs])();
      return attempts.check();
    },
    work: describeWork([follower, ...running]),
    follow: (signal) => follower.run(signal),
    async run(signal) {
      parts.standstills.watch(signal);
      await Promise.all(running.map((each) => each.run(signal)));
      await parts.recorder.flush(AbortSignal.timeout(FLUSH_MILLISECONDS));
      parts.recorder.stop();
    },
  };
}

type Controllers = ReturnType<typeof createControllers>;

/** The controllers of the leader. */
function createControllers(parts: Parts) {
  return {
    catalogs: createCatalogController(parts),
    subscriptions: createSubscriptionController(parts),
    revisions: createRevisionController(parts),
    plans: createPlanController(parts),
    lateObjects: createLateObjectsController(parts),
    registryPolicies: createRegistryPolicyController(parts),
  };
}

/** Enqueues the objects that new catalog content and changes of managed objects concern. */
function wake({ content, caches, managed, late }: Parts, { subscriptions, revisions, lateObjects }: Controllers): void {
  content.onChange(() =>
    caches.subscriptions
      .list()
      .flatMap(ownKey)
      .forEach((key) => subscriptions.enqueue(key)),
  );
  managed.onChange((object) => {
    activeRevisionOf(caches.revisions, object).forEach((key) => revisions.enqueue(key));
    heldBy(caches.subscriptions, object).forEach((one) => subscriptions.enqueue(one));
    const key = late.keyOf(object);
    if (key !== undefined) lateObjects.enqueue(key);
  });
}

/** A fence that is always open: for a manager that runs alone. */
export function openFence(): Fence {
  return { isHeld: () => true, assertHeld: () => undefined };
}
