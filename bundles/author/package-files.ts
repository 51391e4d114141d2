/** The files of a bundle beside its manifests: annotations, and a Dockerfile for authors who build images with one. */
import { BUNDLE_ANNOTATION } from '../annotations.ts';

export interface PackageFacts {
  readonly package: string;
  readonly channels: readonly string[];
  readonly defaultChannel?: string;
}

/** `annotations` of `metadata/annotations.yaml`: those of a person stay, except for the ones that are generated. */
export function writeAnnotations(
  { package: packageName, channels, defaultChannel }: PackageFacts,
  existing: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  return new Map([
    ...existing,
    [BUNDLE_ANNOTATION.mediatype, 'registry+v1'],
    [BUNDLE_ANNOTATION.manifests, 'manifests/'],
    [BUNDLE_ANNOTATION.metadata, 'metadata/'],
    [BUNDLE_ANNOTATION.package, packageName],
    [BUNDLE_ANNOTATION.channels, channels.join(',')],
    ...(defaultChannel === undefined ? [] : ([[BUNDLE_ANNOTATION.defaultChannel, defaultChannel]] as const)),
  ]);
}

/** `Dockerfile`: a label for each annotation; other lines of an existing one stay. */
export function writeDockerfile(annotations: ReadonlyMap<string, string>, existing: string | undefined): string {
  const labels = [...annotations].map(([key, value]) => `LABEL ${key}=${quote(value)}`);
  if (existing === undefined) return `${['FROM scratch', '', ...labels, '', ...COPIES].join('\n')}\n`;
  const others = existing.split('\n').filter((line) => !isLabelOf(line, annotations));
  const at = others.findIndex((line) => /^(?:COPY|ADD)\b/i.test(line));
  const before = (at < 0 ? others : others.slice(0, at)).join('\n').trimEnd();
  const after = (at < 0 ? [] : others.slice(at)).join('\n').trimEnd();
  return `${[before, '', ...labels, '', after].join('\n').trimEnd()}\n`;
}

const COPIES = ['COPY manifests /manifests/', 'COPY metadata /metadata/'];

function isLabelOf(line: string, annotations: ReadonlyMap<string, string>): boolean {
  const key = /^LABEL\s+([^\s=]+)=/i.exec(line)?.[1];
  return key !== undefined && annotations.has(key);
}

function quote(value: string): string {
  return /^[\w./+:,-]+$/.test(value) ? value : JSON.stringify(value);
}
