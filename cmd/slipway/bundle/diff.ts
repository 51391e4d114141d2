/** `slipway bundle diff`: the differences of two bundles: their facts, objects by field, rights in words, images and CRDs. */
import { describeFinding } from '../../../apply/crd-safety/compare.ts';
import { parseObject } from '../../../api/kind.ts';
import { API_VERSION } from '../../../api/names.ts';
import { SUBSCRIPTION, type Subscription } from '../../../api/subscription.ts';
import { parseBundle, type Bundle } from '../../../bundles/parse.ts';
import { supportedModes } from '../../../bundles/render/render.ts';
import type { CrdChange, Plan } from '../../../plan/model.ts';
import { planChange } from '../../../plan/plan.ts';
import type { Environment } from '../environment.ts';
import type { OutputFlags } from '../flags.ts';
import { readBundle, type BundleInput } from '../input/bundle.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import { readConfigFile } from '../input/config.ts';
import type { RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';
import { asBlock, asCode } from '../output/markdown.ts';
import { countObjects, sectionsOf, type Section } from '../../../report/plan-sections.ts';
import { sideOf } from '../plan/side.ts';
import { identityOf } from './identity.ts';

export interface BundleDiffFlags extends RegistryFlags, OutputFlags {
  readonly namespace: string;
  readonly watchNamespace?: readonly string[];
  readonly config?: string;
}

/** A difference is no failure: the exit code is 0. @throws ReasonedError as reading and rendering a bundle do */
export async function diff(
  environment: Environment,
  from: string,
  to: string,
  flags: BundleDiffFlags,
): Promise<Outcome> {
  const [old, next] = [await readBundle(environment, from, flags), await readBundle(environment, to, flags)];
  const bundles = { from: parseBundle(old.files), to: parseBundle(next.files) };
  const subscription = await imagined(environment, bundles, flags);
  const plan = planChange({
    package: bundles.to.package,
    subscription: `${flags.namespace}/${bundles.to.package}`,
    from: sideOf(subscription(bundles.from), { bundle: bundles.from }),
    to: sideOf(subscription(bundles.to), { bundle: bundles.to }),
  });
  const facts = diffFacts(bundles.from, bundles.to);
  const sections = [factSection(facts), ...sectionsWithoutCluster(plan)].filter(({ lines }) => lines.length > 0);
  const { objects, rights, images, crds, webhooks, dependencies, restarts } = plan;
  return {
    data: {
      from: noted(old, bundles.from),
      to: noted(next, bundles.to),
      facts,
      objects,
      rights,
      images,
      crds,
      webhooks,
      dependencies,
      restarts,
    },
    text: flags.output === 'markdown' ? printMarkdown(bundles, sections, plan) : printText(bundles, sections, plan),
  };
}

interface BundlePair {
  readonly from: Bundle;
  readonly to: Bundle;
}

/** The Subscription for which each side is rendered; it exists nowhere. */
async function imagined(
  environment: Environment,
  { from, to }: BundlePair,
  { namespace, watchNamespace, config: path }: BundleDiffFlags,
): Promise<(bundle: Bundle) => Subscription> {
  if (from.package !== to.package)
    throw invalidInput(
      `the bundles are of two packages, ${from.package} and ${to.package}`,
      'Name two bundles of one package',
    );
  const config = path === undefined ? undefined : await readConfigFile(environment, path);
  return (bundle) =>
    parseObject(SUBSCRIPTION, {
      apiVersion: API_VERSION,
      kind: SUBSCRIPTION.kind,
      metadata: { name: bundle.package, namespace },
      spec: {
        package: bundle.package,
        ...(watchNamespace !== undefined && { watchNamespaces: watchNamespace }),
        ...(config !== undefined && { config }),
      },
    });
}

function noted({ source, image }: BundleInput, bundle: Bundle): object {
  return { source, ...(image !== undefined && { digest: image.digest }), ...identityOf(bundle) };
}

interface FactChange {
  readonly fact: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** The facts that no object has: how the bundle is offered, and on which terms it is installed. */
function diffFacts(from: Bundle, to: Bundle): readonly FactChange[] {
  const [old, next] = [factsOf(from), factsOf(to)];
  return [...next.keys()]
    .map((fact) => ({ fact, from: old.get(fact) ?? [], to: next.get(fact) ?? [] }))
    .filter((one) => one.from.join('\0') !== one.to.join('\0'));
}

function factsOf(bundle: Bundle): ReadonlyMap<string, readonly string[]> {
  const { channels, defaultChannel, csv } = bundle;
  const { spec, annotations } = csv;
  return new Map(
    Object.entries({
      name: csv.name,
      version: spec.version,
      channels,
      'default channel': defaultChannel,
      replaces: spec.replaces,
      skips: spec.skips,
      'skip range': annotations['olm.skipRange'],
      'install modes': supportedModes(bundle),
      'oldest Kubernetes': spec.minKubeVersion,
    }).map(([fact, value]) => [fact, [value ?? []].flat()] as const),
  );
}

function factSection(facts: readonly FactChange[]): Section {
  const listed = (values: readonly string[]): string => (values.length === 0 ? 'none' : values.join(', '));
  return { title: 'Bundle', lines: facts.map(({ fact, from, to }) => `${fact}: ${listed(from)} → ${listed(to)}`) };
}

/** A plan without the facts that only a cluster has. */
function sectionsWithoutCluster(plan: Plan): readonly Section[] {
  const own = sectionsOf({ ...plan, crds: [], unknown: [] });
  const crds = { title: 'CRDs', lines: plan.crds.flatMap(describeCrd) };
  return [...own, crds];
}

function describeCrd({ crd, change, versionsAdded, versionsRemoved, storage, findings }: CrdChange): readonly string[] {
  const facts = [
    ...(versionsAdded.length > 0 ? [`versions added: ${versionsAdded.join(', ')}`] : []),
    ...(versionsRemoved.length > 0 ? [`versions removed: ${versionsRemoved.join(', ')}`] : []),
    ...(storage === undefined ? [] : [`storage version: ${storage.from} → ${storage.to}`]),
  ];
  return [
    [`${crd} is ${change}`, ...facts].join('; '),
    ...findings.map((finding) => `${crd}: ${finding.effect}: ${describeFinding(finding)}`),
  ];
}

function titleOf({ from, to }: BundlePair): string {
  return `${to.package} ${identityOf(from).version} → ${identityOf(to).version}`;
}

function printText(bundles: BundlePair, sections: readonly Section[], plan: Plan): string {
  const lines = sections.flatMap(({ title, summary, lines: own }) => [
    `${title}${summary === undefined ? '' : ` (${summary})`}:`,
    ...own.map((line) => `  ${line}`),
  ]);
  const all = [titleOf(bundles), ...(lines.length === 0 ? [sameWords(plan)] : lines)];
  return all.map((line) => `${/^ */.exec(line)?.[0] ?? ''}${cleanLine(line)}\n`).join('');
}

function sameWords(plan: Plan): string {
  return `The bundles install the same: ${countObjects(plan)}`;
}

function printMarkdown(bundles: BundlePair, sections: readonly Section[], plan: Plan): string {
  const parts = [
    `### ${asCode(titleOf(bundles))}`,
    ...sections.map(
      ({ title, summary, lines }) => `**${title}**${summary === undefined ? '' : ` (${summary})`}\n\n${asBlock(lines)}`,
    ),
    ...(sections.length === 0 ? [sameWords(plan)] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}
