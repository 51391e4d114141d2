/** Wires the controller: its watches, and the Beacons that a change affects. */
import type { KubeObject } from '../../../../api/object.ts';
import type { Client } from '../../../../kube/client/client.ts';
import { createController, ownKey, type ObjectKey } from '../../../../kube/controller/controller.ts';
import { createEventRecorder } from '../../../../kube/events/events.ts';
import { fencedTransport, type Fence } from '../../../../kube/election/fence.ts';
import { createInformerFactory, type InformerRequest } from '../../../../kube/watch/informer-factory.ts';
import type { Log } from '../../../../kube/log.ts';
import type { RuntimeMetrics } from '../../../../kube/metrics.ts';
import { GROUP, KIND } from './beacon.ts';
import { LIGHT_LABEL, LIGHT_SELECTOR } from './light.ts';
import type { Options } from './options.ts';
import { createReconciler } from './reconcile.ts';

export interface BeaconControllerOptions {
  readonly client: Client;
  /** Closed while this replica does not lead. */
  readonly fence: Fence;
  readonly options: Pick<Options, 'api-version' | 'release' | 'watch' | 'podName'>;
  readonly log: Log;
  readonly runtime: RuntimeMetrics;
}

export interface BeaconController {
  /** Works until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** The controller of one replica; its writes end when the fence closes. */
export function createBeaconController(wiring: BeaconControllerOptions): BeaconController {
  const { client, fence, options, log, runtime } = wiring;
  const writer = client.over((transport) => fencedTransport(transport, fence));
  const informers = createInformerFactory({ client, log });
  const apiVersion = `${GROUP}/${options['api-version']}`;
  const recorder = createEventRecorder({
    client: writer,
    controller: `${GROUP}/beacon-operator`,
    instance: options.podName,
    log,
  });
  const beacons = new Map(
    options.watch.map((namespace) => [namespace, informers.informer({ apiVersion, kind: KIND, ...within(namespace) })]),
  );
  const lights = repairsLights(options)
    ? options.watch.map((namespace) => informers.informer(lightsIn(namespace)))
    : [];
  const controller = createController({
    name: 'beacon',
    reconcile: createReconciler({
      client: writer,
      beacons: (namespace) => beacons.get(namespace) ?? beacons.get(''),
      recorder,
      release: options.release,
      apiVersion,
      now: () => new Date(),
    }),
    watches: [
      ...[...beacons.values()].map((informer) => ({ informer, keys: ownKey })),
      ...lights.map((informer) => ({ informer, keys: beaconOf })),
    ],
    concurrency: 4,
    observer: runtime.controller('beacon'),
    log,
  });
  return {
    async run(signal) {
      informers.start(signal);
      await controller.run(signal);
      await recorder.flush(AbortSignal.timeout(2000));
      recorder.stop();
    },
  };
}

/** Releases of the first major version lack the right to watch ConfigMaps. */
function repairsLights(options: BeaconControllerOptions['options']): boolean {
  return options['api-version'] === 'v2';
}

function lightsIn(namespace: string): InformerRequest {
  return { apiVersion: 'v1', kind: 'ConfigMap', labelSelector: LIGHT_SELECTOR, ...within(namespace) };
}

function beaconOf({ metadata }: KubeObject): readonly ObjectKey[] {
  const name = metadata.labels?.[LIGHT_LABEL];
  return name === undefined
    ? []
    : [{ name, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) }];
}

function within(namespace: string): { readonly namespace?: string } {
  return namespace === '' ? {} : { namespace };
}
