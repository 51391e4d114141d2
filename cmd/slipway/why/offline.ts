/** Answers from catalogs alone, as a cluster with nothing else installed would: `resolve` decides, and is asked why. */
import type { CatalogIndex } from '../../../catalog/index/open.ts';
import { reasonOfCause } from '../../../controllers/subscription/summarize.ts';
import type { Choice, Decision, Refusal } from '../../../resolver/decision.ts';
import { describeCause, explainDecision, explainPath } from '../../../resolver/explain.ts';
import { contentOf } from '../../../resolver/indexed.ts';
import type { CatalogSource, Installed, ResolveInput } from '../../../resolver/input.ts';
import { passedOver } from '../../../resolver/passed-over.ts';
import { ruledOutBy } from '../../../resolver/published-again.ts';
import { readOnce, resolve } from '../../../resolver/resolve.ts';
import { describeConflict, describeSuggestions } from '../../../resolver/sentences.ts';
import { parseVersion } from '../../../resolver/version.ts';
import { explainVersion } from '../../../resolver/why-not.ts';
import type { Environment } from '../environment.ts';
import { readCatalog } from '../input/catalog.ts';
import { withIndexes } from '../input/index.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { AnsweredRefusal, WhyAnswer, WhyVerdict } from '../../../report/why-answer.ts';
import type { OfflineFlags } from './flags.ts';
import type { WhySubject } from '../../../report/why-status.ts';

/**
 * The answer from the named catalogs. @throws ReasonedError InputInvalid, CatalogInvalid, and the errors of a registry
 */
export async function answerOffline(
  environment: Environment,
  subject: WhySubject,
  flags: OfflineFlags,
): Promise<WhyAnswer> {
  const sources = [...new Set(flags.catalog)];
  const catalogs = await Promise.all(sources.map((source) => readCatalog(environment, source, flags)));
  return withIndexes(
    environment,
    catalogs.map(({ files }) => files),
    (indexes) => {
      const input = questionOf(
        subject,
        indexes.map((index, at) => sourceOf(index, sources[at] ?? '', -at)),
        flags,
      );
      return answerOf(subject, input, resolve(input));
    },
  );
}

/** The catalogs that are named first go before the others. */
export function sourceOf(index: CatalogIndex, name: string, priority: number): CatalogSource {
  return readOnce({ name, priority, state: 'Serving', ...contentOf(index) });
}

function questionOf(subject: WhySubject, catalogs: readonly CatalogSource[], flags: OfflineFlags): ResolveInput {
  const { channel, version, edges = 'Follow', dependencies = 'Install', kubernetesVersion } = flags;
  if (kubernetesVersion !== undefined && !KUBERNETES_VERSION.test(kubernetesVersion))
    throw invalidInput(
      `--kubernetes-version ${JSON.stringify(kubernetesVersion)} is no version`,
      'Write 1.34 or 1.34.2',
    );
  return {
    wanted: {
      package: subject.package,
      edges,
      dependencies,
      ...(channel !== undefined && { channel }),
      ...(version !== undefined && { version }),
    },
    ...(flags.installed !== undefined && {
      installed: findInstalled({ option: '--installed', text: flags.installed }, subject.package, catalogs),
    }),
    catalogs,
    quarantined: [],
    cluster: { providedKinds: [], ...(kubernetesVersion !== undefined && { kubernetesVersion }) },
  };
}

const KUBERNETES_VERSION = /^v?\d{1,9}\.\d{1,9}(?:\.\d{1,9})?(?:[-+].*)?$/;

/** A text that names an installed version or its bundle, and the option or field that it is from. */
export interface InstalledText {
  readonly option: string;
  readonly text: string;
}

/**
 * The installed bundle is taken from the first catalog that has it; a version that no catalog has gets the usual name.
 */
export function findInstalled(
  { option, text }: InstalledText,
  packageName: string,
  catalogs: readonly CatalogSource[],
): Installed {
  for (const { name: catalog, content } of catalogs) {
    const bundle = content(packageName)?.bundles.find(({ name, version }) => version === text || name === text);
    if (bundle === undefined) continue;
    const { name, version, release, image } = bundle;
    return { bundle: name, version, catalog, image, ...(release !== undefined && { release }) };
  }
  if (!parseVersion(text).ok)
    throw invalidInput(
      `${option} ${JSON.stringify(text)} is neither a version nor a bundle that the catalogs have`,
      `Write the version that is installed, as in 1.2.3; leave ${option} out if none is`,
    );
  const catalog = catalogs.find(({ content }) => content(packageName) !== undefined)?.name ?? '';
  return { bundle: `${packageName}.v${text}`, version: text, catalog, image: '' };
}

function answerOf(subject: WhySubject, input: ResolveInput, decision: Decision): WhyAnswer {
  const { reason, message } = explainDecision(decision, subject.package);
  const { installed } = input;
  return {
    ...subject,
    ...(subject.version === undefined ? aboutPackage(decision) : aboutVersion(input, decision, subject.version)),
    reason,
    message,
    ...(installed !== undefined && { installed: { bundle: installed.bundle, version: installed.version } }),
    ...(decision.kind === 'none' ? NO_WAY : wayOf(decision)),
    refused: refusedOf(decision, installed),
  };
}

function aboutPackage(decision: Decision): WhyVerdict {
  if (decision.kind !== 'none') return { chosen: true, causes: [], changes: [] };
  return {
    chosen: false,
    causes: decision.because.map(describeConflict),
    changes: changesOf(decision),
  };
}

function changesOf({ suggestions }: Refusal): readonly string[] {
  return suggestions.flatMap((suggestion) => describeSuggestions([suggestion]) ?? []);
}

function aboutVersion(input: ResolveInput, decision: Decision, version: string): WhyVerdict {
  const { standing, causes, changes } = explainVersion(input, decision, version);
  return { chosen: standing === 'Chosen' || standing === 'OnTheWay', standing, causes, changes };
}

const NO_WAY = { path: [], dependencies: [], deprecations: [] } as const;

type Way = Pick<WhyAnswer, 'available' | 'path' | 'dependencies' | 'deprecations'>;

function wayOf({ bundle, path, dependencies, deprecations }: Choice): Way {
  const messages = explainPath(path);
  return {
    available: { bundle: bundle.name, version: bundle.version },
    path: path.map(({ bundle: name, version, channel }, at) => ({
      bundle: name,
      version,
      channel,
      message: messages[at] ?? '',
    })),
    dependencies: dependencies.map((step) => ({
      kind: step.kind,
      package: step.package,
      bundle: step.bundle.name,
      version: step.bundle.version,
      catalog: step.catalog,
      neededBy: step.neededBy,
    })),
    deprecations: [deprecations.package, deprecations.channel, deprecations.bundle].filter((one) => one !== undefined),
  };
}

function refusedOf(decision: Decision, installed: Installed | undefined): readonly AnsweredRefusal[] {
  return passedOver(decision, installed).map(({ bundle, version, catalog, cause }) => ({
    bundle,
    version,
    catalog,
    reason: reasonOfCause(ruledOutBy(cause).kind),
    message: describeCause(cause),
  }));
}
