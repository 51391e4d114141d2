/**
 * Releases of the example operator that fail, each in its own way, the expected reports about them, and the releases
 * that work.
 */
import { RELEASES, successor, withBrokenSchema, withFault, type Release } from '../../lib/beacon-operator.ts';

export interface Broken {
  readonly because: string;
  readonly release: Release;
  readonly reason: RegExp;
  readonly says: readonly RegExp[];
}

/** Successors of 2.0.0; each supersedes those before it. */
export const BROKEN: readonly Broken[] = [
  {
    because: 'ends as soon as it starts',
    release: successor('2.1.0', withFault('crash')),
    reason: /^ProgressDeadlineExceeded$/,
    says: [
      /container manager of Pod beacon-operator-\w+-\w+ crashes: exit code 3/,
      /Its last lines: .*the table of colours is damaged/,
    ],
  },
  {
    because: 'is never ready',
    release: successor('2.2.0', { ...withFault('never-ready'), skips: ['2.1.0'] }),
    reason: /^ProgressDeadlineExceeded$/,
    says: [
      /container manager of Pod beacon-operator-\w+-\w+ runs and is not ready: Readiness probe failed: .*503/,
      /Its last lines: .*the lamp oil has not arrived/,
    ],
  },
  {
    because: 'has an image that is in no registry',
    release: successor('2.3.0', { withoutImage: true, skips: ['2.1.0', '2.2.0'] }),
    reason: /^ProgressDeadlineExceeded$/,
    says: [/container manager of Pod beacon-operator-\w+-\w+ cannot pull registry\.example\/beacon-operator:v2\.3\.0/],
  },
  {
    because: 'has a CRD that the API server refuses',
    release: successor('2.4.0', { ...withBrokenSchema(), skips: ['2.1.0', '2.2.0', '2.3.0'] }),
    reason: /^ObjectInvalid$/,
    says: [/CustomResourceDefinition.* beacons\.example\.slipway\.dev/, /x-kubernetes-validations/],
  },
  {
    because: 'does not answer when its webhooks are called',
    release: successor('2.5.0', { ...withFault('deaf-webhooks'), skips: ['2.1.0', '2.2.0', '2.3.0', '2.4.0'] }),
    reason: /^(WebhookSilent|ProgressDeadlineExceeded)$/,
    says: [
      /Pod beacon-operator-\w+-\w+, which is ready, does not answer when the API server calls https:\/\/.*\/\w+: .*connection refused/,
      /Its last lines: .*the beacon operator starts/,
    ],
  },
  {
    because: 'converts, and does not answer when it is asked what may be written',
    release: successor('2.6.0', {
      ...withFault('deaf-admission'),
      skips: ['2.1.0', '2.2.0', '2.3.0', '2.4.0', '2.5.0'],
    }),
    reason: /^(WebhookSilent|ProgressDeadlineExceeded)$/,
    says: [
      /WebhookConfiguration.* \w+beacons\.example\.slipway\.dev: Pod beacon-operator-\w+-\w+, which is ready, does not answer/,
      /:443\/(default|validate): context deadline exceeded/,
    ],
  },
];

/** The first release with webhooks, as it should not be; and the one that supersedes it. */
export const DEAF_AT_FIRST: Release = successor('1.9.0', { ...withFault('deaf-webhooks'), replaces: '1.1.0' });
const FIRST_WITH_WEBHOOKS: Release = { ...(RELEASES[2] as Release), skips: [DEAF_AT_FIRST.version] };

/** All up to the first that works with webhooks. */
export const OFFERED: readonly Release[] = [...RELEASES.slice(0, 2), DEAF_AT_FIRST, FIRST_WITH_WEBHOOKS];

/** Supersedes all that fail; and its successor. */
export const FIXED: Release = successor('2.9.0', { skips: BROKEN.map(({ release }) => release.version) });
export const NEXT: Release = { ...successor('2.10.0'), replaces: FIXED.version };
