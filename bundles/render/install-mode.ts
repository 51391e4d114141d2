/** Decides which namespaces the operator watches, and whether the bundle supports that. */
import { ReasonedError } from '../../api/errors.ts';
import type { Bundle } from '../bundle.ts';
import { isDnsLabel } from '../validate/check.ts';
import type { RenderOptions } from './options.ts';

export const INSTALL_MODES = ['AllNamespaces', 'OwnNamespace', 'SingleNamespace', 'MultiNamespace'] as const;
export type InstallMode = (typeof INSTALL_MODES)[number];

/** The modes that the CSV says it supports; modes that do not exist are not among them. */
export function supportedModes({ csv }: Bundle): readonly InstallMode[] {
  const supported = new Set((csv.spec.installModes ?? []).filter((mode) => mode.supported).map(({ type }) => type));
  return INSTALL_MODES.filter((mode) => supported.has(mode));
}

/**
 * The namespaces to watch; `['']` is all.
 * @throws ReasonedError InvalidConfiguration for a name that no namespace can have; InstallModeUnsupported, with the
 * modes that the bundle supports; not worth a retry.
 */
export function pickTargets(bundle: Bundle, options: RenderOptions): readonly string[] {
  checkNamespaces(options);
  const { namespace, watchNamespaces } = options;
  const supported = supportedModes(bundle);
  const targets = watchNamespaces ?? defaultTargets(supported, namespace);
  const missing = targets === undefined ? [] : requiredModes(targets, namespace).filter((m) => !supported.includes(m));
  if (targets === undefined || targets.length === 0 || missing.length > 0) {
    throw unsupported(bundle, supported, targets ?? []);
  }
  return targets;
}

function checkNamespaces({ namespace, watchNamespaces = [] }: RenderOptions): void {
  const wrong = [namespace, ...watchNamespaces.filter((name) => name !== '')].find((name) => !isDnsLabel(name));
  if (wrong === undefined) return;
  throw new ReasonedError({
    reason: 'InvalidConfiguration',
    retry: 'never',
    message: `${JSON.stringify(wrong.slice(0, 300))} cannot be the name of a namespace`,
    hint: 'Use at most 63 lower-case letters, digits and "-", with a letter or digit at both ends',
  });
}

function defaultTargets(supported: readonly InstallMode[], namespace: string): readonly string[] | undefined {
  if (supported.includes('AllNamespaces')) return [''];
  return supported.includes('OwnNamespace') ? [namespace] : undefined;
}

/** The modes that a bundle must support to watch these namespaces. */
function requiredModes(targets: readonly string[], namespace: string): readonly InstallMode[] {
  if (targets.includes('')) return ['AllNamespaces', ...(targets.length > 1 ? (['MultiNamespace'] as const) : [])];
  if (targets.length === 1) return targets[0] === namespace ? ['OwnNamespace'] : ['SingleNamespace'];
  return targets.includes(namespace) ? ['MultiNamespace', 'OwnNamespace'] : ['MultiNamespace'];
}

function unsupported(bundle: Bundle, supported: readonly InstallMode[], targets: readonly string[]): ReasonedError {
  const wanted = targets.length === 0 ? 'no namespace that was named' : describeTargets(targets);
  return new ReasonedError({
    reason: 'InstallModeUnsupported',
    retry: 'never',
    message: `${bundle.csv.name} cannot watch ${wanted}; it supports ${supported.join(', ') || 'no install mode'}`,
    hint: supported.length === 0 ? 'The bundle cannot be installed' : adviceFor(supported),
  });
}

function describeTargets(targets: readonly string[]): string {
  return targets.includes('')
    ? 'all namespaces'
    : `the namespace${targets.length > 1 ? 's' : ''} ${targets.join(', ')}`;
}

const ADVICE: Readonly<Record<InstallMode, string>> = {
  AllNamespaces: 'leave watchNamespaces out',
  OwnNamespace: 'name the namespace of the Subscription',
  SingleNamespace: 'name one other namespace',
  MultiNamespace: 'name several namespaces',
};

function adviceFor(supported: readonly InstallMode[]): string {
  const [first = '', ...others] = supported.map((mode) => ADVICE[mode]);
  return [`${first.charAt(0).toUpperCase()}${first.slice(1)}`, ...others].join(', or ');
}
