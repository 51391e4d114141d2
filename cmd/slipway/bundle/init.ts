/** `slipway bundle init`: a complete bundle out of the objects by which an operator is installed without one. */
import { basename } from 'node:path';
import { ReasonedError } from '../../../api/errors.ts';
import { BUNDLE_ANNOTATION } from '../../../bundles/annotations.ts';
import {
  composeBundle,
  readSource,
  type ComposedBundle,
  type CustomResources,
  type LiveSource,
} from '../../../bundles/author/compose.ts';
import { parseBundle } from '../../../bundles/parse.ts';
import type { InstallMode } from '../../../bundles/render/render.ts';
import { validateBundle } from '../../../bundles/validate/validate.ts';
import type { Environment } from '../environment.ts';
import { BUNDLE_FOLDERS } from '../input/bundle.ts';
import { readOneFile, readTree } from '../input/files.ts';
import { targetFolder } from '../input/place.ts';
import type { RegistryFlags } from '../input/registry.ts';
import { readChart, type ChartFlags } from '../input/chart.ts';
import { readLive, type LiveFlags } from '../input/live.ts';
import { readSourceFiles } from '../input/source.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';
import { judge, type FindingsStyle, type Strictness } from '../output/findings.ts';
import { writeFiles } from '../output/write-files.ts';
import { planFiles, readExisting, type FilePlan } from './init-files.ts';
import { identify, readWords, type IdentityFlags, type WordFlags } from './init-identity.ts';
import { describeInit, type InitFinding } from './init-report.ts';
import { pinImages } from './pin-images.ts';

export interface InitFlags
  extends RegistryFlags, Strictness, FindingsStyle, IdentityFlags, WordFlags, ChartFlags, LiveFlags {
  readonly from: readonly string[];
  readonly samples?: readonly string[];
  readonly customResources?: CustomResources;
  readonly installMode?: readonly InstallMode[];
  readonly pin?: boolean;
  readonly prune?: boolean;
  readonly dryRun?: boolean;
}

/** Existing files stay as a person has edited them, as far as the source does not decide about them. */
export async function init(environment: Environment, folder: string, flags: InitFlags): Promise<Outcome> {
  const target = targetFolder(environment, folder);
  const existing = await readFolder(target);
  const { sources, ...beside } = await readAll(environment, basename(target), flags);
  const before = readExisting(existing);
  const identity = identify({ folder: basename(target), flags, sources, existing: before });
  const digests = flags.pin === true ? await pinImages(environment, sources, flags) : undefined;
  const words = await readWords(environment, flags);
  const composed = composeBundle(
    sources,
    {
      ...identity,
      words,
      ...(flags.installMode !== undefined && { modes: flags.installMode }),
      ...(flags.customResources !== undefined && { customResources: flags.customResources }),
      ...(flags.leaveOut !== undefined && { leaveOut: flags.leaveOut }),
      ...(digests !== undefined && { digests }),
    },
    before,
  );
  const plan = planFiles(composed, existing, { prune: flags.prune === true });
  if (flags.dryRun !== true) await writePlan(target, plan);
  return report(environment, { folder, flags, composed, plan, ...beside });
}

/** A chart and a cluster are named by two words, `--from chart REF`; everything else is a path, or stdin. */
async function readAll(environment: Environment, folder: string, flags: InitFlags): Promise<LiveSource> {
  const { from, samples = [], package: release = folder } = flags;
  const [word = '', name, ...others] = from;
  const isNamed = NAMED.has(word) && name !== undefined;
  if (isNamed && others.length > 0)
    throw invalidInput(
      `--from names more than a ${NAMED.get(word)}: ${others.join(', ')}`,
      `Name one ${NAMED.get(word)}`,
    );
  if (flags.include !== undefined && !(isNamed && word === 'live'))
    throw invalidInput('--include is about objects of a cluster', 'Say --from live and a namespace');
  const paths = [...(isNamed ? [] : from), ...samples];
  const files = await Promise.all(paths.map((one) => readSourceFiles(environment, one)));
  const plain = readSource(new Map(files.flatMap((some) => [...some])));
  if (!isNamed) return { sources: plain, leftOut: [], findings: [] };
  if (word === 'live') return withSources(await readLive(environment, name, flags), plain);
  const { sources, tests } = await readChart(environment, { chart: name, release }, flags);
  for (const test of tests)
    environment.complain(`slipway: ${cleanLine(test)} is left out: it is a test of the chart\n`);
  return { sources: [...sources, ...plain], leftOut: [], findings: [] };
}

/** Words behind `--from` that are followed by a name. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['chart', 'chart'],
  ['live', 'namespace'],
]);

function withSources({ sources, ...others }: LiveSource, further: LiveSource['sources']): LiveSource {
  return { sources: [...sources, ...further], ...others };
}

const LIMITS = { maxFiles: 1000, maxBytes: 32 << 20 };

async function readFolder(target: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = await readTree(target, { parts: [...BUNDLE_FOLDERS], ...LIMITS });
  const dockerfile = await readOneFile({ folder: target }, 'Dockerfile').catch(() => undefined);
  return dockerfile === undefined ? files : new Map([...files, ['Dockerfile', dockerfile]]);
}

async function writePlan(target: string, { files, changes }: FilePlan): Promise<void> {
  const changed = [...changes].filter(([, change]) => change !== 'unchanged');
  // Of a file that is removed there are no bytes.
  await writeFiles(target, new Map(changed.map(([path]) => [path, files.get(path)])));
}

interface Written {
  readonly folder: string;
  readonly flags: InitFlags;
  readonly composed: ComposedBundle;
  readonly plan: FilePlan;
  readonly leftOut: LiveSource['leftOut'];
  readonly findings: LiveSource['findings'];
}

function report(environment: Environment, { folder, flags, composed, plan, ...beside }: Written): Outcome {
  const findings = [
    ...beside.findings,
    ...composed.findings,
    ...leftoversOf(plan),
    ...addedIn(plan),
    ...defectsOf(plan),
  ];
  const placements = [...composed.placements, ...beside.leftOut];
  const { counts, exitCode } = judge(findings, flags);
  const facts = {
    package: composed.annotations.get(BUNDLE_ANNOTATION.package) ?? '',
    name: composed.csv.metadata.name,
    installModes: composed.modes,
  };
  const files = [...plan.changes].map(([path, change]) => ({ path, change }));
  return {
    data: { folder, ...facts, files, placements, ...counts, findings },
    text: describeInit(
      { folder, ...facts, files, placements, findings, isDry: flags.dryRun === true },
      flags,
      environment,
    ),
    exitCode,
  };
}

function leftoversOf({ leftovers }: FilePlan): readonly InitFinding[] {
  return leftovers.map((path) => ({
    level: 'warning',
    check: 'leftover-file',
    object: path,
    message: 'its object is not in the source; the file stays in the bundle',
    advice: 'Keep it if a person has added it; else remove the file, or say --prune',
  }));
}

function addedIn({ added }: FilePlan): readonly InitFinding[] {
  return added.map(({ path, object }) => ({
    level: 'warning',
    check: 'leftover-file',
    object: `${path}: ${object}`,
    message: 'the source does not have it; it stays in its file',
    advice: 'Keep it if a person has added it; else remove it from the file',
  }));
}

/** Everything that keeps the new bundle from being installed or published. */
function defectsOf({ files }: FilePlan): readonly InitFinding[] {
  try {
    const bundle = parseBundle(new Map([...files].filter(([path]) => path !== 'Dockerfile')));
    return validateBundle(bundle, { suites: ['install', 'format'] })
      .filter(({ level }) => level === 'error')
      .map(({ level, check, file, object, path, message, advice }) => ({
        level,
        check,
        object: [file, object, path].filter((part) => part !== undefined).join(': '),
        message,
        advice,
      }));
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    const { message, hint = 'Correct the source' } = error;
    return [{ level: 'error', check: 'readable', object: 'the bundle', message, advice: hint }];
  }
}
