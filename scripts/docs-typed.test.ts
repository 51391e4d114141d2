/** Every shell command of the documentation is typed by a test, or is listed here with the reason why it is not. */
import { describe, expect, test } from 'vitest';
import { stepsOf } from './shell-steps.ts';
import { readText, repositoryFiles } from './source-files.ts';

interface Page {
  readonly path: string;
  /** Tests that type the blocks of the page; none if none can be typed. */
  readonly by: readonly string[];
  /** Blocks that they leave out. */
  readonly except?: readonly Exception[];
}

interface Exception {
  /** Occurs in exactly one block. */
  readonly command: string;
  readonly because: string;
}

const HOW_TO = 'docs/how-to';
const GUIDES = 'scripts/guides.long.cluster.test.ts';
const COMMAND_LINE = 'scripts/how-to.long.cluster.test.ts';
const HELM = 'e2e/stories/in-cluster/helm.long.cluster.test.ts';
const DEPLOYED = 'needs an image in a registry that kubelets pull from; e2e/stories/in-cluster runs the same manifests';

const PAGES: readonly Page[] = [
  {
    path: 'docs/console.md',
    by: [],
    except: [
      {
        command: 'kubectl slipway ui',
        because: 'it runs until it is interrupted; cmd/slipway/ui/ui.test.ts starts it',
      },
    ],
  },
  {
    path: 'docs/tutorial.md',
    by: ['scripts/tutorial.cluster.test.ts'],
    except: [
      { command: 'make cluster-up', because: 'the test has a cluster of its own' },
      { command: 'export REGISTRY', because: 'the test has a registry of its own' },
      { command: 'npm run -s manager', because: 'the test starts the manager with the rights of its Pod' },
      { command: '/readyz?verbose', because: 'the port is of the process that the test starts' },
      { command: '--watch\n', because: 'it does not end by itself' },
      { command: 'make cluster-down', because: 'the test has a cluster of its own' },
    ],
  },
  { path: `${HOW_TO}/adopt-installed-operators.md`, by: [GUIDES] },
  { path: `${HOW_TO}/approve-by-hand.md`, by: [GUIDES] },
  {
    path: `${HOW_TO}/install-an-operator.md`,
    by: [GUIDES],
    except: [{ command: 'create namespace', because: 'the guides of this file share the namespace' }],
  },
  {
    path: `${HOW_TO}/install-slipway.md`,
    by: [HELM],
    except: [
      {
        command: 'make build',
        because: 'scripts/build/programs.long.test.ts and e2e/stories/in-cluster build the parts',
      },
      {
        command: 'skopeo copy',
        because: 'skopeo is none of the programs of the tests; oci/layout.test.ts reads layouts',
      },
      { command: 'deploy/install.yaml', because: DEPLOYED },
      { command: 'deploy/overlays/private-registry', because: DEPLOYED },
    ],
  },
  {
    path: `${HOW_TO}/install-with-a-service-account.md`,
    by: ['e2e/stories/in-cluster/tenants.long.cluster.test.ts'],
    except: [
      {
        command: 'create serviceaccount installer',
        because: 'the story makes the account with the name of its tenant',
      },
      { command: 'act-as-manager', because: 'the story of the policy grants the same right to its persons' },
      { command: 'deploy/overlays/without-policy', because: DEPLOYED },
      { command: 'deploy/policies/accounts.yaml', because: DEPLOYED },
    ],
  },
  {
    path: `${HOW_TO}/let-clients-read-catalogs.md`,
    by: [],
    except: [
      { command: 'kubectl label namespace monitoring', because: 'needs the namespace of a monitoring system' },
      { command: 'deploy/overlays/catalog-auth', because: DEPLOYED },
      { command: 'create token reader', because: 'cmd/manager/catalog-access.test.ts checks tokens of this audience' },
    ],
  },
  {
    path: `${HOW_TO}/let-operators-hold-upgrades.md`,
    by: ['e2e/stories/operator-conditions/operator-conditions.cluster.test.ts'],
  },
  {
    path: `${HOW_TO}/leave-olm-v0.md`,
    by: ['e2e/stories/leave-olm/leave-olm.cluster.test.ts', 'e2e/stories/adopt-by-manager/adopt.long.cluster.test.ts'],
    except: [{ command: 'deploy/rights/adoption-olm-v0', because: 'the story applies the same file' }],
  },
  {
    path: `${HOW_TO}/leave-olm-v1.md`,
    by: [
      'e2e/stories/leave-olm-v1/leave-olm-v1.long.cluster.test.ts',
      'e2e/stories/leave-olm-v1/adopt-by-manager.long.cluster.test.ts',
    ],
    except: [{ command: 'deploy/rights/adoption-olm-v1', because: 'the story applies the same file' }],
  },
  { path: `${HOW_TO}/make-a-bundle-of-plain-yaml.md`, by: [COMMAND_LINE] },
  { path: `${HOW_TO}/plan-an-upgrade.md`, by: [COMMAND_LINE] },
  { path: `${HOW_TO}/publish-a-bundle.md`, by: [COMMAND_LINE] },
  { path: `${HOW_TO}/publish-a-catalog.md`, by: [COMMAND_LINE] },
  {
    path: `${HOW_TO}/uninstall-an-operator.md`,
    by: [GUIDES],
    except: [{ command: 'storedVersions', because: 'needs a CRD with two versions and its webhook on a real node' }],
  },
  {
    path: `${HOW_TO}/restore-from-a-backup.md`,
    by: ['e2e/stories/restored/objects.long.cluster.test.ts'],
    except: [
      {
        command: 'rollout restart',
        because: 'the manager of e2e/stories/restored is a process, which the story restarts',
      },
      { command: '--replicas=0', because: 'the manager of the story is a process, which the story stops' },
      { command: '--replicas=2', because: 'the manager of the story is a process, which the story starts' },
    ],
  },
  { path: `${HOW_TO}/remove-slipway.md`, by: ['e2e/stories/own-life/guide.ts', HELM] },
  {
    path: `${HOW_TO}/require-signatures.md`,
    by: ['e2e/stories/signatures/signatures.cluster.test.ts'],
    except: [{ command: 'cosign sign', because: 'the story signs by a program of its own, which needs no network' }],
  },
  {
    path: `${HOW_TO}/roll-back-by-hand.md`,
    by: [],
    except: [
      { command: 'slipway rollback', because: 'e2e/stories/command-line runs the same commands' },
      { command: '"edges":"Ignore"', because: 'e2e/stories/mirror goes back by the same two fields' },
      {
        command: '"windows":null',
        because: 'it only removes a field; resolver/gate/gate.test.ts has what no window means',
      },
      { command: "'!=1.1.0'", because: 'cmd/slipway/admin/intents.test.ts has the request of such an upgrade' },
      {
        command: '"edges":"Follow"',
        because: 'resolver/ranges/ranges.test.ts and resolver/explain.test.ts have ranges that leave versions out',
      },
    ],
  },
  {
    path: `${HOW_TO}/run-the-console.md`,
    by: [],
    except: [
      { command: 'slipway ui', because: 'it runs until it is interrupted; cmd/slipway/ui/ui.test.ts starts it' },
      { command: 'create secret generic', because: DEPLOYED },
      { command: 'kubectl label namespace ingress', because: 'needs the namespace of an Ingress' },
      { command: 'deploy/console', because: DEPLOYED },
    ],
  },
  { path: `${HOW_TO}/see-why-a-version.md`, by: [COMMAND_LINE] },
  {
    path: `${HOW_TO}/see-why-nothing-happens.md`,
    by: [GUIDES],
    except: [{ command: 'curl', because: 'the port is of a manager that runs in the Pod' }],
  },
  {
    path: `${HOW_TO}/set-policies-for-registries.md`,
    by: ['e2e/stories/registry-policy/registry-policy.cluster.test.ts'],
  },
  {
    path: `${HOW_TO}/take-operators-to-a-place-without-internet.md`,
    by: [],
    except: [
      { command: 'mirror pull airgap --catalog', because: 'the story names the catalog of its own registry' },
      { command: '--since airgap', because: 'cmd/slipway/mirror/mirror.test.ts takes later content so' },
      { command: 'mirror verify airgap\n', because: 'the story runs it beside its own registry' },
      { command: 'mirror push airgap', because: 'the story pushes to the registry of its cluster' },
      { command: 'mirror verify airgap mirror.example', because: 'the story pushes to the registry of its cluster' },
      { command: 'kubectl apply -f airgap', because: 'the story applies the same file' },
    ],
  },
  {
    path: `${HOW_TO}/verify-a-release.md`,
    by: ['e2e/stories/release/release.test.ts'],
    except: [{ command: 'cosign sign', because: 'the story signs by a program of its own, which needs no network' }],
  },
  { path: `${HOW_TO}/upgrade-from-a-pipeline.md`, by: ['e2e/stories/telling/telling.cluster.test.ts'] },
  {
    path: `${HOW_TO}/upgrade-slipway.md`,
    by: [HELM],
    except: [
      { command: 'can-i impersonate', because: 'needs the ServiceAccount of a pipeline' },
      { command: 'deploy/policies/accounts.yaml', because: DEPLOYED },
      { command: 'deploy/install.yaml', because: DEPLOYED },
      { command: '.spec.containers[*].image', because: 'the story compares the image by the Deployment' },
    ],
  },
  {
    path: `${HOW_TO}/use-a-private-registry.md`,
    by: ['e2e/stories/private-registry/private-registry.long.cluster.test.ts'],
  },
  { path: `${HOW_TO}/use-the-command-line.md`, by: ['e2e/stories/command-line/command-line.cluster.test.ts'] },
  {
    path: `${HOW_TO}/waive-a-crd-check.md`,
    by: [],
    except: [{ command: '.status.quarantined', because: 'e2e/stories/crd-safety reads the same field' }],
  },
  {
    path: `${HOW_TO}/watch-slipway.md`,
    by: [],
    except: [
      { command: 'kubectl label namespace monitoring', because: 'needs the namespace of a monitoring system' },
      { command: 'deploy/monitoring', because: 'needs the CRDs of the Prometheus operator' },
      { command: 'logs --selector', because: DEPLOYED },
      { command: 'get leases.coordination.k8s.io slipway-manager', because: DEPLOYED },
    ],
  },
];

test('every page with shell commands is on the list', () => {
  const pages = repositoryFiles().filter((path) => path === 'README.md' || /^docs\/.*\.md$/.test(path));
  const withCommands = pages.filter((path) => stepsOf(path).length > 0);
  expect(withCommands.length).toBeGreaterThan(12);
  expect(PAGES.map(({ path }) => path).sort()).toEqual([...withCommands].sort());
});

describe.each(PAGES)('$path', ({ path, by, except = [] }) => {
  const scripts = stepsOf(path).map(({ script }) => script);

  test('is read by the tests that type it', () => {
    for (const one of by) expect(readText(one), one).toContain(path);
  });

  test('leaves out blocks that it has, each once', () => {
    for (const { command } of except)
      expect(
        scripts.filter((script) => script.includes(command)),
        command,
      ).toHaveLength(1);
    expect(new Set(except.map(({ command }) => command)).size).toBe(except.length);
  });

  test('has blocks that are typed, unless no test types it', () => {
    const typed = scripts.filter((script) => !except.some(({ command }) => script.includes(command)));
    expect(typed.length > 0).toBe(by.length > 0);
  });
});
