/** The screens of docs/screens.md are those that the commands print: `npm run test -- --project unit screens -u` renews them. */
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Subscription } from '../../../api/subscription.ts';
import { useFakeCluster } from './testing/fake-cluster.ts';
import { condition, subscription, untyped } from '../../../report/testing/objects.ts';

const cluster = useFakeCluster();

const installed = {
  bundle: 'beacon-operator.v1.0.0',
  version: '1.0.0',
  image: `registry.example/beacon-operator@sha256:${'a'.repeat(64)}`,
  catalog: 'examples',
  channel: 'stable',
  revision: 'beacon-1',
};

function beacon(): Subscription {
  return subscription({
    metadata: { name: 'beacon', namespace: 'lights', uid: 'b' },
    spec: { package: 'beacon-operator', approval: 'Manual' },
    status: {
      installed,
      available: { bundle: 'beacon-operator.v1.1.0', version: '1.1.0' },
      pending: { revision: 'beacon-2', bundle: 'beacon-operator.v1.1.0', version: '1.1.0', reason: 'ApprovalRequired' },
      conditions: [
        condition('Ready', 'True', 'Succeeded', 'beacon-operator.v1.0.0 is installed and healthy'),
        condition('UpgradeAvailable', 'True', 'ApprovalRequired', 'beacon-operator.v1.1.0 waits for approval'),
      ],
    },
  });
}

function lamp(): Subscription {
  const message =
    'The upgrade to lamp-operator.v3.0.0 failed: Deployment lights/lamp-operator: container operator: CrashLoopBackOff';
  return subscription({
    metadata: { name: 'lamp', namespace: 'lights', uid: 'l' },
    spec: { package: 'lamp-operator', version: '3.0.0' },
    status: {
      installed: { ...installed, bundle: 'lamp-operator.v2.0.0', version: '2.0.0', revision: 'lamp-4' },
      available: { bundle: 'lamp-operator.v3.0.0', version: '3.0.0' },
      conditions: [
        condition('Ready', 'False', 'Quarantined', message),
        condition('Stalled', 'True', 'Quarantined', message),
        condition('UpgradeFailed', 'True', 'WorkloadUnhealthy', message),
      ],
    },
  });
}

beforeAll(() => {
  const { api } = cluster();
  const objects = [beacon(), lamp()];
  for (const one of objects) api.put(untyped(one));
});

const SCREENS: readonly { readonly title: string; readonly about: string; readonly args: readonly string[] }[] = [
  {
    title: 'All Subscriptions of a namespace',
    about: '`get` lists them as `kubectl get` does; `-o wide` has further columns.',
    args: ['get', '-n', 'lights'],
  },
  {
    title: 'An upgrade that waits',
    about: '`status` is one screen about one Subscription. The last lines are the commands that help.',
    args: ['status', 'lights/beacon'],
  },
  {
    title: 'An upgrade that failed',
    about: 'The version before it works again, and the screen says why the newer one was given up.',
    args: ['status', 'lights/lamp'],
  },
  {
    title: 'Newer versions',
    about: '`outdated` names the obstacle of each; its exit code is 2 if there are any.',
    args: ['outdated', '-n', 'lights'],
  },
  {
    title: 'A change before it is sent',
    about: '`--dry-run=client -o yaml` prints the object or the patch.',
    args: ['suspend', 'lights/beacon', '--dry-run=client', '-o', 'yaml'],
  },
];

test('the documentation shows the screens as they are, on a terminal of 110 columns', async () => {
  const parts = ['# Screens of the command line', INTRODUCTION];
  for (const { title, about, args } of SCREENS) {
    const { stdout, stderr } = await cluster().runWith({ columns: 110 }, ...args);
    expect(stderr).toBe('');
    parts.push(`## ${title}`, about, `\`\`\`text\n$ slipway ${args.join(' ')}\n${withAge(stdout).trimEnd()}\n\`\`\``);
  }
  await expect(`${parts.join('\n\n')}\n`).toMatchFileSnapshot(join(import.meta.dirname, '../../../docs/screens.md'));
});

/** The same age in each run; the column has the width of its title. */
function withAge(screen: string): string {
  return screen.replaceAll(/(?<= )\d{1,2}s {3,4}(?=\S)/g, '12d   ');
}

const INTRODUCTION = `Captured by a test, so that they are the screens of this version. [Administer operators from the command
line](how-to/use-the-command-line.md) has the tasks, and [cli.md](cli.md) every option.`;
