/**
 * Image references: text in, registry, repository, tag and digest out, by the rules that container tools share (`nginx`
 * is `docker.io/library/nginx:latest`). All code in Slipway that names an image uses it. It sends no requests:
 * registry.ts finds out whether the image exists.
 */
import { ReasonedError } from '../api/errors.ts';
import { isDigest } from './digest.ts';
import { canonicalHost, DEFAULT_REGISTRY } from './host.ts';

export interface Reference {
  /** Host in its one spelling, with a port that is not the usual one: `quay.io`, `localhost:5000`. */
  readonly registry: string;
  /** Path without registry: `library/nginx`. */
  readonly repository: string;
  /** Present unless only a digest was given; if both are given, the digest decides. */
  readonly tag?: string;
  readonly digest?: string;
}

const MAX_TEXT = 1024;
const MAX_NAME = 255;
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const HOST = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*\\.?|\\[[0-9A-Fa-f:.]{2,45}\\])(?::([0-9]{1,5}))?$`);
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

const SCHEME = /^(?:oci|docker):\/\//;

/** In variables some operators are given the address of an image rather than its name, for programs that load plugins. */
export function withoutScheme(text: string): string {
  return text.replace(SCHEME, '');
}

/**
 * Parses `[registry/]repository[:tag][@digest]`. Without tag and digest the tag is `latest`.
 *
 *     parseReference('quay.io/org/app:v1') → { registry: 'quay.io', repository: 'org/app', tag: 'v1' }
 *
 * @throws ReferenceInvalid, never retried.
 * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests
 */
export function parseReference(text: string): Reference {
  if (text.length > MAX_TEXT) throw invalid(text, `it is longer than ${MAX_TEXT} characters`);
  if (text.includes('://')) throw invalid(text, 'it has a URL scheme', 'Write it without the scheme');
  const { name, tag, digest } = splitSuffixes(text);
  const { registry, repository } = splitName(text, name);
  if (tag !== undefined && !TAG.test(tag)) throw invalid(text, 'its tag is not a valid tag');
  if (digest !== undefined && !isDigest(digest)) {
    throw invalid(text, 'its digest is not sha256 or sha512 in lower-case hexadecimal of the right length');
  }
  return {
    registry,
    repository,
    ...(tag !== undefined ? { tag } : digest === undefined && { tag: 'latest' }),
    ...(digest !== undefined && { digest }),
  };
}

/** The reference as text, complete: `docker.io/library/nginx:latest`. */
export function formatReference(reference: Reference): string {
  const { registry, repository, tag, digest } = reference;
  return `${registry}/${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
}

/** The identifier in a request: the digest, else the tag. */
export function identifierOf(reference: Reference): string {
  return reference.digest ?? reference.tag ?? 'latest';
}

/** The same repository by digest: the pulled content is the one that was resolved. */
export function withDigest(reference: Reference, digest: string): Reference {
  const { registry, repository, tag } = reference;
  return { registry, repository, ...(tag !== undefined && { tag }), digest };
}

/** The same repository by tag. @throws ReferenceInvalid if the tag breaks the grammar. */
export function withTag(reference: Reference, tag: string): Reference {
  const { registry, repository } = reference;
  if (!TAG.test(tag)) throw invalid(tag, 'it is not a valid tag');
  return { registry, repository, tag };
}

/** Whether a text is a tag by the specification's grammar. */
export function isTag(text: string): boolean {
  return TAG.test(text);
}

interface ReferenceParts {
  readonly name: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

function splitSuffixes(text: string): ReferenceParts {
  const at = text.indexOf('@');
  const rest = at < 0 ? text : text.slice(0, at);
  const digest = at < 0 ? undefined : text.slice(at + 1);
  const colon = rest.indexOf(':', rest.lastIndexOf('/') + 1);
  if (colon < 0) return { name: rest, tag: undefined, digest };
  return { name: rest.slice(0, colon), tag: rest.slice(colon + 1), digest };
}

/**
 * The complete name of the repository as far as a text has one, also if `parseReference` refuses the text: a node may read
 * what Slipway does not, such as a digest of another kind.
 */
export function nameIn(text: string): string {
  const { host, path } = splitHost(splitSuffixes(text.slice(0, MAX_TEXT)).name);
  const registry = host === undefined ? DEFAULT_REGISTRY : canonicalHost(host);
  return `${registry}/${repositoryOf(registry, path)}`;
}

function splitName(text: string, name: string): { registry: string; repository: string } {
  const { host, path } = splitHost(name);
  const registry = host === undefined ? DEFAULT_REGISTRY : readRegistry(text, host);
  const repository = repositoryOf(registry, path);
  if (registry.length + 1 + repository.length > MAX_NAME) {
    throw invalid(text, `its name is longer than ${MAX_NAME} characters`);
  }
  if (!repository.split('/').every((part) => COMPONENT.test(part))) {
    throw invalid(
      text,
      `its repository ${JSON.stringify(path)} is not a valid name`,
      'Names are lower-case letters, digits and single separators',
    );
  }
  return { registry, repository };
}

function splitHost(name: string): { readonly host: string | undefined; readonly path: string } {
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  return isRegistry(first) ? { host: first, path: name.slice(slash + 1) } : { host: undefined, path: name };
}

function repositoryOf(registry: string, path: string): string {
  return registry === DEFAULT_REGISTRY && !path.includes('/') ? `library/${path}` : path;
}

/** As other tools do: a first component is a registry if it cannot be part of the name of a repository. */
function isRegistry(first: string): boolean {
  return first === 'localhost' || /[.:[\]]/.test(first) || first !== first.toLowerCase();
}

function readRegistry(text: string, host: string): string {
  const match = HOST.exec(host);
  const port = match?.[1];
  const registry = canonicalHost(host);
  const isUsable = match !== null && (port === undefined || (Number(port) >= 1 && Number(port) <= 65_535));
  if (!isUsable || URL.parse(`https://${registry}/`) === null) {
    throw invalid(text, `its registry ${JSON.stringify(host)} is not a valid host`);
  }
  // Printed in its one spelling it would be read as part of a repository on the default registry.
  if (!isRegistry(registry)) throw invalid(text, `its registry ${JSON.stringify(host)} has neither a dot nor a port`);
  return registry;
}

function invalid(
  text: string,
  why: string,
  hint = 'Write it as registry/repository:tag or registry/repository@digest',
) {
  const shown = JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
  return new ReasonedError({
    reason: 'ReferenceInvalid',
    retry: 'never',
    message: `the image reference ${shown} cannot be used: ${why}`,
    hint,
  });
}
