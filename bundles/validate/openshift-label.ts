import { isAtLeast, tolerantVersion, type Check } from './check.ts';
import { removedIn22 } from './removed-apis.ts';

const LABEL = 'com.redhat.openshift.versions';

/** The label of the image that says to which OpenShift a bundle goes excludes those that do not serve its APIs. */
export const openshiftLabel: Check = {
  name: 'openshift-label',
  suite: 'community',
  *run(bundle, { dockerfile }) {
    if (removedIn22(bundle).length === 0) return;
    const advice = `Move to APIs that are served, or set the label ${LABEL} to a range below 4.9: "v4.6-v4.8"`;
    if (dockerfile === undefined) {
      const message = `without a Dockerfile it is unknown whether the label ${LABEL} keeps the bundle from OpenShift 4.9`;
      yield { level: 'warning', message, advice: `Give the Dockerfile too. ${advice}` };
      return;
    }
    const wrong = wrongWith(dockerfile);
    if (wrong !== undefined) yield { level: 'error', path: LABEL, message: wrong, advice };
  },
};

/** `v4.6-v4.8` is a range, `=v4.8` one version, `v4.6` that and all newer ones. */
function wrongWith(dockerfile: string): string | undefined {
  const line = dockerfile.split('\n').find((candidate) => candidate.includes(LABEL));
  if (line === undefined) return `the label ${LABEL} is missing`;
  const value = /=\s*["']?([^"'\s]+)/.exec(line.slice(line.indexOf(LABEL)))?.[1];
  if (value === undefined) return `the label ${LABEL} has no value`;
  if (!value.startsWith('=') && !value.includes('-')) return `the label ${LABEL} is "${value}", which has no end`;
  const last = value.startsWith('=') ? value.slice(1) : value.slice(value.indexOf('-') + 1);
  const version = tolerantVersion(last);
  if (version === undefined) return `the label ${LABEL} is "${value}", which is no range`;
  return isAtLeast(version, 4, 9) ? `the label ${LABEL} is "${value}", which includes 4.9` : undefined;
}
