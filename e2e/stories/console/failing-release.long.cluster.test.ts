/**
 * An upgrade that fails, before the eyes of the person who approved it: a real API server, Pods with logs on a real node,
 * a real browser. The page is opened once, and follows the roll-out, the failure and the way back by itself.
 */
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { excessWidth, launchBrowser, noBrowser, violationsOn } from '../../../console/browser/testing/browser.ts';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { ConsoleProcess } from '../../console/console-process.ts';
import { serveManager, type ManagerService } from '../../console/manager-service.ts';
import { PACKAGE, publishImages, publishReleases, withFault, type Release } from '../../lib/beacon-operator.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { apply, makeNamespaces, requestReconcile } from '../../lib/writes.ts';
import { Newcomer } from './newcomer.ts';

const GOOD: Release = { version: '1.0.0' };
/** Its Pods start, and write to their log why they are never ready. */
const FAILING: Release = { version: '1.1.0', replaces: '1.0.0', ...withFault('never-ready') };

const NAMESPACE = 'lights';
const VIEW = `/subscriptions/${NAMESPACE}/beacon`;
const WANTED = { kind: 'subscription', name: 'beacon', namespace: NAMESPACE };
const CATALOG = { kind: 'catalog', name: 'examples' };

/** Longer than the deadline of the roll-out once its Pods have said why they fail, on a machine with other work. */
const SOON = { timeout: 90_000 };
const TEST_MS = 180_000;

const missing = noBrowser ?? realNodeObstacle();

describe.skipIf(missing !== undefined)(`an upgrade that fails${missing === undefined ? '' : ` (${missing})`}`, () => {
  const cluster = useCluster({ node: 'real' });
  let manager: RunningManager;
  let service: ManagerService;
  let console: ConsoleProcess;
  let browser: Browser;
  let newcomer: Newcomer;

  beforeAll(async () => {
    await installSlipway(cluster());
    manager = await startManager(cluster(), { SLIPWAY_LEADER_ELECT: 'false' });
    service = await serveManager(cluster(), manager);
    await publishImages(cluster(), [GOOD, FAILING]);
    await publishReleases(cluster(), [GOOD]);
    await makeNamespaces(cluster(), [NAMESPACE]);
    await apply(cluster(), catalogOf(CATALOG.name, `${cluster().registry}/catalog:latest`));
    await waitFor(cluster(), CATALOG, isReady);
    await subscribe('Automatic');
    await waitFor(cluster(), WANTED, runs(GOOD.version));
    await subscribe('Manual');
    await publishReleases(cluster(), [GOOD, FAILING]);
    await requestReconcile(cluster(), CATALOG);
    await waitFor(cluster(), WANTED, (object) => /Approval/.test(condition(object, 'UpgradeAvailable')?.reason ?? ''));
    console = new ConsoleProcess(service.kubeconfig);
    await console.start();
    browser = await launchBrowser();
    newcomer = await Newcomer.open(browser, console);
  });
  afterAll(async () => {
    await browser?.close();
    await console?.stop();
    await service?.[Symbol.asyncDispose]();
    await manager?.stop();
  });

  function subscribe(approval: 'Automatic' | 'Manual', progressDeadline = '10m'): Promise<void> {
    const onFailure = { bakeTime: '1s', progressDeadline };
    return apply(cluster(), subscriptionTo('beacon', NAMESPACE, { package: PACKAGE, approval, onFailure }));
  }

  const region = (name: string | RegExp): Locator => newcomer.page.getByRole('region', { name });

  /** The parts of the page that a person judges are accessible, and none is wider than the window. */
  async function expectSound(): Promise<void> {
    expect(await violationsOn(newcomer.page)).toEqual([]);
    expect(await excessWidth(newcomer.page)).toBe(0);
  }

  test(
    'is followed on one page: phases, the last lines of the Pod that fails, and the way back',
    async () => {
      await newcomer.go(`${VIEW}/plan`);
      await newcomer
        .button(/^Approve/)
        .first()
        .click();
      const dialog = newcomer.page.getByRole('dialog');
      await dialog
        .getByRole('button', { name: /^Approve/ })
        .first()
        .click();
      await newcomer.page.waitForURL(new RegExp(`${VIEW}$`));
      await newcomer.page.evaluate('window.isSamePage = true');

      const phases = region(/^(Roll-out|In progress: 1\.1\.0)$/).locator('.phase-count');
      await expect.poll(async () => new Set(await counts(phases)), SOON).toEqual(new Set(['done', 'behind']));

      const log = region('Pods').getByRole('group', { name: 'Log of Container manager' });
      await expect.poll(() => log.allInnerTexts(), SOON).toEqual([expect.stringContaining('the lamp oil has not arrived')]); // prettier-ignore
      expect(await region('Pods').innerText()).toMatch(/runs and is not ready/);
      await expectSound();
      await subscribe('Manual', '20s');

      const held = region('Versions that are not installed');
      await expect.poll(() => held.allInnerTexts(), SOON).toEqual([expect.stringMatching(/1\.1\.0\s+Quarantined\s+ProgressDeadlineExceeded/)]); // prettier-ignore
      expect(await held.innerText()).toMatch(/the lamp oil has not arrived/);
      await waitFor(cluster(), WANTED, runs(GOOD.version));
      const installed = newcomer.page.locator('.standing-versions');
      await expect.poll(() => installed.innerText(), SOON).toMatch(/^Installed\s+1\.0\.0/);
      await expect.poll(() => phases.count(), SOON).toBe(0);
      expect(await newcomer.page.evaluate<boolean>('window.isSamePage === true')).toBe(true);
      await expectSound();
    },
    TEST_MS,
  );

  test('is on the timeline, with digests, durations, and the approval that named the plan', async () => {
    await newcomer.go(VIEW);
    const [failed, good] = await region('History').getByRole('listitem').allInnerTexts();
    for (const entry of [failed, good]) expect(entry).toMatch(/Digest\s+sha256:[0-9a-f]{64}/);
    expect(failed).toMatch(/^1\.1\.0[^]*failed \(ProgressDeadlineExceeded\)/);
    expect(failed).toMatch(/Approved by \S+ .*, plan sha256:[0-9a-f]+…/);
    expect(failed).not.toMatch(/rolled out in|In service for/);
    expect(good).toMatch(/^1\.0\.0[^]*is installed/);
    expect(good).toMatch(/rolled out in \d+ (s|second)/);
    expect(good).toMatch(/In service for\s+\S/);
  });

  test('is marked in the graph, with its reason and the ways out', async () => {
    await newcomer.go(VIEW);
    await region('Versions that are not installed').getByRole('link', { name: '1.1.0', exact: true }).click();
    await newcomer.heading(/^Upgrades of/).waitFor();
    const why = region(/1\.1\.0 is not (chosen|installed)/);
    await why.waitFor();
    const words = await why.innerText();
    expect(words).toMatch(/Why[^]*failed[^]*the lamp oil has not arrived/);
    expect(words).toMatch(
      /Each of these is enough\s+Release beacon-operator\.v1\.1\.0 from quarantine by asking for a reconcile/,
    );
    expect(await why.getByRole('button', { name: 'Try again', exact: true }).count()).toBe(1);
    const marks = newcomer.page.getByRole('listitem').filter({ has: newcomer.page.getByRole('link', { name: '1.1.0', exact: true }) }); // prettier-ignore
    expect(await marks.last().innerText()).toMatch(/quarantined/i);
    await expectSound();
    expect(newcomer.watched.faults).toEqual([]);
  });
});

/** Of each phase, whether all of its objects are ready. */
async function counts(phases: Locator): Promise<readonly string[]> {
  const texts = await phases.allInnerTexts();
  return texts.map((text) => {
    const [ready, all] = text.split(' of ').map(Number);
    return ready === all ? 'done' : 'behind';
  });
}
