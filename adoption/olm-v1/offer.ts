/**
 * The ClusterExtension by which OLM v1 is offered an operator on the way back, and its answer. Pure. OLM resolves the
 * version, renders the bundle, and then refuses to write anything, because the objects have the marks of Slipway: so it says
 * whether it has the version while Slipway still has the operator. Once all objects have its marks it takes them over.
 */
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, textOf, type Fields } from '../../api/untyped.ts';
import { OFFER } from './kinds.ts';
import { catalogFilter, conditionOf, installedBundle, isSettled } from './extension.ts';

const OFFERED = 'Offered';
/** All objects have the marks of OLM. Writing it has OLM try again at once. */
const MARKED = 'Marked';

/** A bundle by its names. */
export interface InstalledBundle {
  readonly bundle: string;
  readonly version: string;
}

/**
 * The ClusterExtension to create, pinned to a version.
 *
 * @param olm As it was before the hand-over.
 * @param spec Its spec once the way back has ended.
 */
export function offerOf(olm: KubeObject, spec: Fields, version: string): KubeObject {
  const { name, labels = {}, annotations = {} } = olm.metadata;
  const source = fieldsOf(spec['source']);
  const catalog = { ...fieldsOf(source['catalog']), version };
  return {
    apiVersion: olm.apiVersion,
    kind: olm.kind,
    metadata: { name, labels, annotations: { ...annotations, [OFFER]: OFFERED } },
    spec: { ...spec, source: { ...source, catalog } },
  };
}

/** Whether a way back has created it, and has not ended. */
export function isOffer(extension: KubeObject | undefined): boolean {
  return extension?.metadata.annotations?.[OFFER] !== undefined;
}

/** Whether it names the version that is installed, and no other. */
export function isOfferOf(extension: KubeObject | undefined, { version }: InstalledBundle): boolean {
  return isOffer(extension) && textOf(catalogFilter(extension)['version']) === version;
}

/** Whether OLM was asked to take the objects over, after all of them were marked. */
export function isAsked(extension: KubeObject | undefined): boolean {
  return extension?.metadata.annotations?.[OFFER] === MARKED;
}

/** The patch that asks OLM to take the objects over: it waits longer after each refusal, and acts at once on a change. */
export function ask({ metadata: { resourceVersion } }: KubeObject): Fields {
  return { metadata: { resourceVersion, annotations: { [OFFER]: MARKED } } };
}

/** The patch that makes a ClusterExtension an offer again. OLM keeps a version that it has installed since. */
export function repeated(extension: KubeObject, { version }: InstalledBundle): Fields {
  const { resourceVersion } = extension.metadata;
  const pin = { spec: { source: { catalog: { version } } } };
  const metadata = { resourceVersion, annotations: { [OFFER]: OFFERED } };
  return { metadata, ...(installedBundle(extension).version === '' && pin) };
}

/** Whether OLM has taken the operator over: the version may be another one, which a person or Git has written since. */
export function isTakenOver(extension: KubeObject | undefined): boolean {
  return isSettled(extension) && installedBundle(extension).version !== '';
}

/**
 * The patch that takes the pin off the ClusterExtension: the way back has ended.
 *
 * @param spec Its spec once the way back has ended. Versions that another program has written in the place of the pin are left.
 */
export function restored(extension: KubeObject, spec: Fields, installed: InstalledBundle): Fields {
  const { version = null } = fieldsOf(fieldsOf(spec['source'])['catalog']);
  return {
    metadata: { resourceVersion: extension.metadata.resourceVersion, annotations: { [OFFER]: null } },
    ...(isOfferOf(extension, installed) && { spec: { source: { catalog: { version } } } }),
  };
}

export type Answer =
  /** OLM has the version, and waits for the objects. */
  | { readonly kind: 'agreed' }
  | { readonly kind: 'waiting'; readonly message: string }
  /** It does not pass by itself. */
  | { readonly kind: 'refused'; readonly message: string };

/** The answer of OLM to an offer. */
export function answerOf(extension: KubeObject | undefined, { bundle, version }: InstalledBundle): Answer {
  const progressing = conditionOf(extension, 'Progressing');
  const isOfSpec = progressing?.observedGeneration === extension?.metadata.generation;
  if (progressing === undefined || !isOfSpec) return { kind: 'waiting', message: 'OLM has not answered yet' };
  const { status, message } = progressing;
  const resolved = /resolved bundle "([^"]+)" with version "([^"]+)"/.exec(message);
  const hasOther = resolved !== null && (resolved[1] !== bundle || !isSame(resolved[2] ?? '', version));
  if (status === 'False' || hasOther || UNRESOLVABLE.test(message)) return { kind: 'refused', message };
  return resolved !== null && CONFLICT.test(message) ? { kind: 'agreed' } : { kind: 'waiting', message };
}

/** Up to build metadata: a catalog may have more in its version than the bundle. */
function isSame(version: string, other: string): boolean {
  const [[core], [otherCore]] = [version.split('+'), other.split('+')];
  return core === otherCore;
}

/** No catalog of OLM has the version, or more than one of equal priority; or OLM cannot install such a bundle. */
const UNRESOLVABLE = /no bundles found for package|in multiple catalogs with the same priority|unsupported bundle/;

/** Of its Helm, which takes no object over that lacks its marks; OLM puts it into words of its own. */
const CONFLICT = /already exists in namespace|cannot be imported into the current release/;
