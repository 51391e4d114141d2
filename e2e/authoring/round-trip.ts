/**
 * The way of a published bundle through `bundle init`: its rendered objects become plain YAML, a new bundle is made of
 * them, and that bundle is rendered again. The objects of both renderings are compared by hash.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../api/json.ts';
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import { composeBundle, readSource, type AuthorFinding } from '../../bundles/author/compose.ts';
import { parseBundle, type Bundle } from '../../bundles/parse.ts';
import { renderBundle, supportedModes, type InstallMode, type RenderOptions } from '../../bundles/render/render.ts';
import { planFiles } from '../../cmd/slipway/bundle/init-files.ts';
import { formatYaml } from '../../report/data.ts';

export interface RoundTrip {
  readonly objects: number;
  readonly same: number;
  /** `Role.rbac.authorization.k8s.io ops/x: is not rendered`, each with its place in the object. */
  readonly differences: readonly string[];
  readonly findings: readonly AuthorFinding[];
  /** Rights as atoms, before and after. */
  readonly source: readonly KubeObject[];
  readonly rendered: readonly KubeObject[];
}

const NAMESPACE = 'ops';

/** @throws ReasonedError if the bundle cannot be rendered, or no bundle can be made of its objects */
export function roundTrip(bundle: Bundle): RoundTrip {
  const [mode] = supportedModes(bundle);
  const options = optionsFor(mode ?? 'AllNamespaces');
  const source = renderBundle(bundle, options);
  const composed = composeBundle(readSource(new Map([['all.yaml', Buffer.from(formatYaml(source))]])), {
    package: bundle.package,
    name: bundle.csv.name,
    version: bundle.csv.spec.version ?? '0.0.0',
    channels: bundle.channels,
    customResources: 'install',
    modes: [mode ?? 'AllNamespaces'],
  });
  const { files } = planFiles(composed, new Map(), { prune: false });
  const rendered = renderBundle(parseBundle(new Map([...files].filter(([path]) => path.includes('/')))), options);
  return { ...compare(source, rendered), findings: composed.findings, source, rendered };
}

function optionsFor(mode: InstallMode): RenderOptions {
  const watchNamespaces = {
    AllNamespaces: [''],
    OwnNamespace: [NAMESPACE],
    SingleNamespace: ['target'],
    MultiNamespace: ['target', 'other'],
  }[mode];
  return { namespace: NAMESPACE, watchNamespaces, certificates: 'manager' };
}

function compare(
  source: readonly KubeObject[],
  rendered: readonly KubeObject[],
): Pick<RoundTrip, 'objects' | 'same' | 'differences'> {
  const after = new Map(rendered.map((object) => [describeRef(refOf(object)), object]));
  const before = new Set(source.map((object) => describeRef(refOf(object))));
  const differing = source.flatMap((object) => {
    const name = describeRef(refOf(object));
    const other = after.get(name);
    if (other === undefined) return [`${name}: is not rendered`];
    return hashOf(object) === hashOf(other) ? [] : [`${name}: ${firstDifference(object, other)}`];
  });
  const added = [...after.keys()].filter((name) => !before.has(name)).map((name) => `${name}: is new`);
  return { objects: source.length, same: source.length - differing.length, differences: [...differing, ...added] };
}

function hashOf(object: KubeObject): string {
  return createHash('sha256').update(canonicalJson(object)).digest('hex');
}

/** `spec.template.metadata.annotations: … is …` */
function firstDifference(before: unknown, after: unknown, path = ''): string {
  if (isMap(before) && isMap(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (canonicalJson([before[key]]) !== canonicalJson([after[key]]))
        return firstDifference(before[key], after[key], path === '' ? key : `${path}.${key}`);
    }
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    const index = before.findIndex((item, at) => canonicalJson([item]) !== canonicalJson([after[at]]));
    return firstDifference(before[index], after[index], `${path}[${index}]`);
  }
  return `${path}: ${short(before)} is ${short(after)}`;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function short(value: unknown): string {
  return (value === undefined ? 'nothing' : canonicalJson(value)).slice(0, 80);
}
