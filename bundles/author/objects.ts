/** Places the remaining objects: in `manifests/` if the format has the kind, as examples, or nowhere, with the reason. */
import { CRD } from '../../api/crd-kind.ts';
import { groupKind, groupOf, type KubeObject } from '../../api/object.ts';
import type { Manifest } from '../bundle.ts';
import { ownKinds, supportedKind } from '../render/kinds.ts';
import { isServed, type ApiServices } from './api-services.ts';
import type { Ledger } from './ledger.ts';
import { isInside, type Scene } from './scene.ts';
import type { SourceObject } from './source.ts';

/** Use of custom resources of the operator's own kinds: samples for users, or a part of the installation. */
export type CustomResources = 'examples' | 'install';

/** Places every object that no step before has placed; returns the examples. */
export function takeObjects(
  scene: Scene,
  ledger: Ledger,
  { use, apiServices }: { readonly use: CustomResources; readonly apiServices: ApiServices },
): readonly KubeObject[] {
  const crds = scene.byKind.get(groupKind(CRD)) ?? [];
  const own = ownKinds(crds.map(asManifest));
  const examples: KubeObject[] = [];
  for (const source of scene.sources) {
    if (ledger.isPlaced(source)) continue;
    const { object } = source;
    const isOwn = supportedKind(object) === undefined && own.has(groupKind(object));
    if (object.kind === 'Namespace' && groupKind(object) === 'Namespace')
      ledger.leaveOut(source, 'the operator is installed into the namespace of its Subscription');
    else if (groupOf(object.apiVersion) === SCORECARD)
      ledger.leaveOut(source, 'it configures the tests of another tool');
    else if ((isOwn && use === 'examples') || (!isOwn && isServed(apiServices, object))) {
      ledger.inCsv(source, 'metadata.annotations[alm-examples]');
      examples.push(object);
    } else if (!isOwn && supportedKind(object) === undefined) leaveUnsupported(ledger, source);
    else if (!isInside(object, scene.namespace) && !IS_FOR_CLUSTERS.has(object.kind))
      leaveOutside(scene, ledger, source);
    else ledger.inManifests(source);
  }
  return examples;
}

const SCORECARD = 'scorecard.operatorframework.io';

/** A kind that counts as one for the whole cluster keeps its namespace. */
const IS_FOR_CLUSTERS = new Set(['VerticalPodAutoscaler']);

function asManifest({ object, place }: SourceObject): Manifest {
  return { file: place, document: 1, object, raw: object };
}

function leaveUnsupported(ledger: Ledger, source: SourceObject): void {
  const kind = groupKind(source.object);
  ledger.leaveOut(source, `a bundle may not hold objects of the kind ${kind}`);
  ledger.find('error', 'unsupported-kind', source, [
    `a bundle may not hold objects of the kind ${kind}, so an installation does not create it`,
    'Have the operator create it, or say --leave-out if the operator works without it; docs/supported-kinds.md lists the kinds',
  ]);
}

function leaveOutside({ namespace }: Scene, ledger: Ledger, source: SourceObject): void {
  ledger.leaveOut(source, `it is in the namespace ${source.object.metadata.namespace}`);
  ledger.find('error', 'other-namespace', source, [
    `it is outside of the namespace of the operator${namespace === undefined ? '' : `, ${namespace}`}: a bundle has objects in one namespace only`,
    'Have the operator create it, or say --leave-out if the operator works without it',
  ]);
}
