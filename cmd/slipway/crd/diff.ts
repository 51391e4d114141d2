/** `slipway crd diff`: the rules of the CRD safety check that find something between two versions of CRDs. */
import { describeFinding, isDangerous, type CrdFinding } from '../../../apply/crd-safety/compare.ts';
import { parseBundle, type Bundle } from '../../../bundles/parse.ts';
import { renderCrds } from '../../../bundles/render/crds.ts';
import { parseYaml, YamlError } from '../../../bundles/yaml.ts';
import { isCrd } from '../../../api/crd-kind.ts';
import { isRecord, textOf } from '../../../api/untyped.ts';
import type { KubeObject } from '../../../api/object.ts';
import { compareSets } from '../../../plan/objects.ts';
import { planCrds } from '../../../plan/crds.ts';
import type { CrdChange } from '../../../plan/model.ts';
import type { Environment } from '../environment.ts';
import { readBundle } from '../input/bundle.ts';
import { readOneFile } from '../input/files.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import { findPlace } from '../input/place.ts';
import type { RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';

export async function diff(
  environment: Environment,
  { old, next }: { readonly old: string; readonly next: string },
  flags: RegistryFlags,
): Promise<Outcome> {
  const [before, after] = [await crdsOf(environment, old, flags), await crdsOf(environment, next, flags)];
  const crds = planCrds(compareSets(before, after), {}).map(reported);
  const isUnsafe = crds.some(({ safe }) => !safe);
  return { data: { old, new: next, safe: !isUnsafe, crds }, text: describe(crds), exitCode: isUnsafe ? 2 : 0 };
}

interface Reported extends Pick<CrdChange, 'crd' | 'change' | 'versionsAdded' | 'versionsRemoved' | 'storage'> {
  readonly safe: boolean;
  readonly findings: readonly CrdFinding[];
}

function reported({ crd, change, versionsAdded, versionsRemoved, storage, findings }: CrdChange): Reported {
  const safe = change !== 'deleted' && !findings.some(isDangerous);
  return { crd, change, safe, versionsAdded, versionsRemoved, ...(storage !== undefined && { storage }), findings };
}

function describe(crds: readonly Reported[]): string {
  if (crds.length === 0) return 'The CRDs are the same\n';
  return crds
    .flatMap(({ crd, change, safe, versionsAdded, versionsRemoved, storage, findings }) => [
      `${cleanLine(crd)} is ${change}: ${safe ? 'safe' : 'unsafe'}`,
      ...versionsAdded.map((version) => `  version ${cleanLine(version)} is added`),
      ...versionsRemoved.map((version) => `  version ${cleanLine(version)} is removed`),
      ...(storage === undefined ? [] : [cleanIndented(`storage version: ${storage.from} → ${storage.to}`)]),
      ...findings.map((finding) => cleanIndented(`${finding.effect}: ${describeFinding(finding)}`)),
    ])
    .map((line) => `${line}\n`)
    .join('');
}

function cleanIndented(text: string): string {
  return `  ${cleanLine(text)}`;
}

async function crdsOf(environment: Environment, source: string, flags: RegistryFlags): Promise<readonly KubeObject[]> {
  const { kind } = await findPlace(environment, source);
  const found =
    kind === 'file'
      ? await crdsInFile(environment, source)
      : crdsOfBundle(parseBundle((await readBundle(environment, source, flags)).files));
  if (found.length === 0) throw invalidInput(`${source} has no CRD`, 'Name a file with CRDs, or a bundle');
  return found;
}

/** As they are applied: with the conversion that a webhook of the bundle serves. The namespaces do not change CRDs. */
function crdsOfBundle(bundle: Bundle): readonly KubeObject[] {
  return renderCrds({ bundle, options: { namespace: 'operators', certificates: 'manager' }, targets: [''] });
}

async function crdsInFile(environment: Environment, path: string): Promise<readonly KubeObject[]> {
  const bytes = await readOneFile(environment, path);
  try {
    return parseYaml(bytes)
      .map(({ value }) => value)
      .filter(isNamedCrd);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw invalidInput(`${path} cannot be read: ${error.message}`, 'Correct the file', error);
  }
}

function isNamedCrd(value: unknown): value is KubeObject {
  if (!isRecord(value) || !isRecord(value['metadata']) || textOf(value['metadata']['name']) === '') return false;
  return isCrd({ apiVersion: textOf(value['apiVersion']), kind: textOf(value['kind']) });
}
