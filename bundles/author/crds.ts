/** Places CRDs in `manifests/`, and lists the kinds that the CSV owns. */
import { CRD } from '../../api/crd-kind.ts';
import { isRecord } from '../../api/untyped.ts';
import { groupKind, type KubeObject } from '../../api/object.ts';
import type { CsvCrd } from '../bundle.ts';
import { isInjected, withoutInjection } from './certificates.ts';
import type { Ledger } from './ledger.ts';
import type { Scene } from './scene.ts';

interface AuthoredCrdSpec {
  readonly names?: { readonly kind?: string };
  readonly versions?: readonly AuthoredCrdVersion[];
}

interface AuthoredCrdVersion {
  readonly name: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly schema?: { readonly openAPIV3Schema?: { readonly description?: string } };
}

/** Of each served version of each CRD an entry of `customresourcedefinitions.owned`. */
export function takeCrds(scene: Scene, ledger: Ledger, converted: ReadonlySet<string>): readonly CsvCrd[] {
  return (scene.byKind.get(groupKind(CRD)) ?? []).flatMap((source) => {
    const { object } = source;
    if (isInjected(object))
      ledger.note(source, 'without the annotation of cert-manager: the installation puts the authority in');
    ledger.inManifests(
      source,
      converted.has(object.metadata.name) ? withoutConversion(object) : withoutInjection(object),
    );
    return ownedBy(object);
  });
}

/** An installation writes the conversion of a CRD from the webhook definition that names it. */
function withoutConversion(crd: KubeObject): KubeObject {
  const { conversion: _, ...spec } = crd['spec'] as Readonly<Record<string, unknown>>;
  return withoutInjection({ ...crd, spec });
}

function ownedBy({ metadata, spec }: KubeObject): readonly CsvCrd[] {
  const { names, versions = [] } = (isRecord(spec) ? spec : {}) as AuthoredCrdSpec;
  const kind = names?.kind ?? '';
  const served = versions.filter((version) => version.served === true);
  return (served.length === 0 ? versions : served).map((version) => ({
    name: metadata.name,
    version: version.name,
    kind,
    displayName: inWords(kind),
    description: describe(version, kind),
  }));
}

/** `MemcachedCluster` → `Memcached Cluster` */
export function inWords(kind: string): string {
  return kind.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2');
}

/** The first sentence of its schema's description. */
function describe({ schema }: AuthoredCrdVersion, kind: string): string {
  const [sentence = ''] = (schema?.openAPIV3Schema?.description ?? '').split(/(?<=\.)\s/);
  const text = sentence.replaceAll(/\s+/g, ' ').trim();
  return text === '' ? `The kind ${kind}.` : text;
}
