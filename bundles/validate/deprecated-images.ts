import { inCsv, type Check } from './check.ts';

const GONE = ['gcr.io/kubebuilder/kube-rbac-proxy'];

/** Images that have moved to another repository. */
export const deprecatedImages: Check = {
  name: 'deprecated-images',
  suite: 'good-practices',
  *run(bundle) {
    for (const [index, { spec }] of (bundle.csv.spec.install.spec?.deployments ?? []).entries()) {
      for (const [at, container] of (spec.template.spec.containers ?? []).entries()) {
        const image = container.image ?? '';
        if (!GONE.some((gone) => image.startsWith(gone))) continue;
        const path = `spec.install.spec.deployments[${index}].spec.template.spec.containers[${at}].image`;
        const message = `the image "${image}" is no longer maintained at that place`;
        yield { level: 'warning', ...inCsv(bundle, path), message, advice: 'Use one that is' };
      }
    }
  },
};
