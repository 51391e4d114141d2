/** Ten packages of the reference data that the stories use. None has webhooks, so no certificates are needed. */
import type { Wish } from './routes.ts';

/** The versions to begin with are chosen by rule, see routes.ts. */
export const PACKAGES: readonly (Wish & { readonly because: string })[] = [
  { package: 'dns-operator', because: 'it has only three versions' },
  { package: 'limitador-operator', because: 'its catalog lists the versions out of order, in two channels' },
  { package: 'k8gb', because: 'it has several Deployments, and a ClusterServiceVersion of an odd apiVersion' },
  { package: 'trident-operator', because: 'its catalog is kept by hand' },
  { package: 'kairos-operator', because: 'it may skip a version that is replaced as well' },
  { package: 'dell-csm-operator', because: 'each minor version skips all patches of the one before but the last' },
  { package: 'leaksignal-operator', because: 'it brings a PriorityClass' },
  { package: 'gitlab-runner-operator', because: 'skipRange leads from any version to the head at once' },
  { package: 'project-quay', channel: 'stable-3.11', because: 'its default channel has one version only' },
  { package: 'sosivio', because: 'its versions are pre-releases, and its bundles are not named after it' },
];

/** How many replacements below the head they begin, if there are so many. */
export const EDGES = 3;
