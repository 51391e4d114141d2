import { inCsv, isAtLeast, asText, tolerantVersion, type Check, type FoundBy } from './check.ts';
import { removedIn22 } from './removed-apis.ts';

const PROPERTY = 'olm.maxOpenShiftVersion';

/** A bundle that needs APIs of before Kubernetes 1.22 must not be on OpenShift 4.9 or newer. */
export const maxOpenshiftVersion: Check = {
  name: 'max-openshift-version',
  suite: 'community',
  *run(bundle) {
    if (removedIn22(bundle).length === 0) return;
    const where = inCsv(bundle, 'metadata.annotations[olm.properties]');
    const advice = `Move to APIs that are served, or set the property ${PROPERTY} to 4.8 or lower`;
    const property = bundle.properties.find(({ type }) => type === PROPERTY);
    if (property === undefined) {
      const message = `the bundle uses APIs that OpenShift 4.9 does not serve, and has no property ${PROPERTY}`;
      yield { level: 'error', ...where, message, advice };
      return;
    }
    yield* checkValue(asText(property.value), { where, advice });
  },
};

function* checkValue(
  value: string,
  { where, advice }: { readonly where: object; readonly advice: string },
): Iterable<FoundBy> {
  const version = tolerantVersion(value);
  if (version === undefined) {
    yield { level: 'error', ...where, message: `${PROPERTY} is "${value}", which is no version`, advice };
    return;
  }
  if (isAtLeast(version, 4, 9)) {
    const message = `${PROPERTY} is ${value}, but the bundle uses APIs that OpenShift 4.9 does not serve`;
    yield { level: 'error', ...where, message, advice };
  }
  if (version[2] === 0 && !value.includes('-')) return;
  const message = `${PROPERTY} is ${value}; only ${version[0]}.${version[1]} of it counts`;
  yield { level: 'warning', ...where, message, advice: 'Write it as MAJOR.MINOR' };
}
