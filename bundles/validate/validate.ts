/**
 * Checks a Bundle: every defect that prevents its installation, that a hub would refuse, or that its author should
 * know, each with its place and its cure. The CLI calls validateBundle; render.ts calls refuseBundle. It reads no
 * cluster and no registry, and does not check whether images exist.
 */
import { ReasonedError } from '../../api/errors.ts';
import { nameFirst } from '../../api/name-some.ts';
import type { Bundle } from '../bundle.ts';
import { SUITES, type Check, type CheckOptions, type BundleFinding, type Suite } from './check.ts';
import { CHECKS } from './checks.ts';

export { SUITES, type CheckOptions, type BundleFinding, type Suite } from './check.ts';

/** All findings of the chosen suites, or of all of them; errors and warnings in the order of the checks. */
export function validateBundle(
  bundle: Bundle,
  options: CheckOptions & { readonly suites?: readonly Suite[] } = {},
): readonly BundleFinding[] {
  const { suites = SUITES } = options;
  const checks = CHECKS.filter(({ suite }) => suites.includes(suite));
  return checks.flatMap((check) => Array.from(runCheck(check, bundle, options)));
}

/** The findings of a check, cut to a readable number: a hostile bundle has faults by the hundred thousand. */
function* runCheck(check: Check, bundle: Bundle, options: CheckOptions): Iterable<BundleFinding> {
  let reported = 0;
  for (const finding of check.run(bundle, options)) {
    if (reported === MAX_TOLD) {
      const message = `there are more than ${MAX_TOLD} findings of this kind; the others are not listed`;
      yield { level: finding.level, check: check.name, message, advice: 'Correct the listed ones first' };
      return;
    }
    reported += 1;
    yield { ...finding, check: check.name };
  }
}

const MAX_TOLD = 500;

/**
 * Refuses a bundle that cannot be installed.
 * @throws ReasonedError BundleUnsupported, InvalidCABundle or BundleInvalid with all faults, not worth a retry.
 */
export function refuseBundle(bundle: Bundle): void {
  const errors = validateBundle(bundle, { suites: ['install'] }).filter(({ level }) => level === 'error');
  const [first] = errors;
  if (first === undefined) return;
  throw new ReasonedError({
    reason: CHECKS.find(({ name }) => name === first.check)?.reason ?? 'BundleInvalid',
    retry: 'never',
    message: describeErrors(errors),
    hint: `For the author of the bundle: ${first.advice.charAt(0).toLowerCase()}${first.advice.slice(1)}`,
  });
}

const MAX_NAMED = 5;

function describeErrors(errors: readonly BundleFinding[]): string {
  return nameFirst(errors.slice(0, MAX_NAMED).map(describeFinding), errors.length, '; ');
}

/** `manifests/a.yaml: Secret x: metadata.name: the object has no name`: a finding in one line, without its advice. */
export function describeFinding({ file, object, path, message }: BundleFinding): string {
  return [file, object, path, message].filter((part) => part !== undefined).join(': ');
}
