/** The form of a check of a bundle, and of its findings. */
import { formatJson } from '../../api/json.ts';
import { groupKind } from '../../api/object.ts';
import type { Bundle, Manifest } from '../bundle.ts';

/**
 * `install`: a bundle that fails the check cannot be installed, and rendering refuses it. `format`: every published
 * bundle must pass the check. Hubs that publish bundles require the others, or they are advice.
 */
export const SUITES = ['install', 'format', 'operatorhub', 'community', 'good-practices', 'removed-apis'] as const;
export type Suite = (typeof SUITES)[number];

export interface BundleFinding {
  readonly level: 'error' | 'warning';
  /** Name of the check. */
  readonly check: string;
  readonly file?: string;
  /** `Role.rbac.authorization.k8s.io leader-election` */
  readonly object?: string;
  /** `spec.installModes[1].type` */
  readonly path?: string;
  readonly message: string;
  readonly advice: string;
}

export interface CheckOptions {
  /** Version of Kubernetes that the bundle is to work with; removed APIs are errors then. */
  readonly kubernetesVersion?: string;
  /** Categories that a hub knows instead of the usual ones. */
  readonly categories?: readonly string[];
  /** Text of the Dockerfile of the bundle's image, or of any other file with its labels. */
  readonly dockerfile?: string;
  /** The files that the bundle was read from; without them its size is not checked. */
  readonly files?: ReadonlyMap<string, Uint8Array>;
}

export type FoundBy = Omit<BundleFinding, 'check'>;

export interface Check {
  /** Kebab-case, the name of its file. */
  readonly name: string;
  readonly suite: Suite;
  /** For an error that makes rendering refuse the bundle; BundleInvalid by default. */
  readonly reason?: 'BundleUnsupported' | 'InvalidCABundle';
  readonly run: (bundle: Bundle, options: CheckOptions) => Iterable<FoundBy>;
}

/** File and object of a manifest, for a finding. A namespace in it means nothing. */
export function at({ file, object }: Manifest): { readonly file: string; readonly object: string } {
  return { file, object: `${groupKind(object)} ${object.metadata.name}` };
}

/** File, object and path of a field of the CSV. */
export function inCsv({ csv }: Bundle, path: string): Pick<BundleFinding, 'file' | 'object' | 'path'> {
  return { ...at(csv.manifest), path };
}

/** The texts that occur more than once, sorted. */
export function duplicates(values: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return [...new Set(values.filter((value) => seen.size === seen.add(value).size))].sort();
}

/** The first of some names, for advice that each finding repeats: there may be thousands, of any length. */
export function someOf(names: ReadonlySet<string>): readonly string[] {
  return [...names.values().take(MOST_NAMES)].map((name) => name.slice(0, MAX_NAME));
}

const MOST_NAMES = 20;
const MAX_NAME = 63;

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Whether it may be the name of most objects. @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/ */
export function isSubdomain(name: string): boolean {
  return name.length <= 253 && SUBDOMAIN.test(name);
}

export const SUBDOMAIN_ADVICE =
  'Use at most 253 lower-case letters, digits, "-" and ".", with a letter or digit at both ends';

/** Whether it may be the name of a Service or namespace: one part of a subdomain. */
export function isDnsLabel(name: string): boolean {
  return name.length <= 63 && !name.includes('.') && isSubdomain(name);
}

const LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** Whether it may be the name of a CRD's version, or of its kind in lower case: a label that starts with a letter. */
export function isLabel(name: string): boolean {
  return name.length <= 63 && LABEL.test(name);
}

/** The text of a value that should be text: other data as JSON, an absent value as an empty text. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : formatJson(value).slice(0, MAX_TEXT);
}

const MAX_TEXT = 200;

/** `1.2.3`, also `v1.2`: a version as people write it; undefined if it is none. */
export function tolerantVersion(text: string): readonly [number, number, number] | undefined {
  if (text.length > 256) return undefined;
  const match = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:[-+][0-9A-Za-z.+-]*)?$/.exec(text.trim());
  return match === null ? undefined : [Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 0)];
}

/** Whether a version is at least another, by major and minor. */
export function isAtLeast(version: readonly number[] | undefined, major: number, minor: number): boolean {
  if (version === undefined) return false;
  const [ownMajor = 0, ownMinor = 0] = version;
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
