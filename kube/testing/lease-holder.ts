/**
 * For tests: a process that competes for a lease and, while it leads, writes to a ConfigMap as fast as it may. Tests
 * stop it (SIGUSR2) and resume it (SIGCONT) to check that it does not write when it no longer leads. Takes its settings
 * as JSON in the first argument and prints one word per line for each change.
 */
import { createClient } from '../client/client.ts';
import { sleep, systemClock } from '../clock.ts';
import { loadKubeconfig } from '../kubeconfig/kubeconfig.ts';
import { createLeaderElection } from '../election/leader-election.ts';
import type { LeaseTimings } from '../election/lease-record.ts';
import { createLeaseFence, fencedTransport } from '../election/fence.ts';
import { createTransport } from '../transport/transport.ts';

/** Settings of the process. */
export interface HolderSettings {
  readonly kubeconfig: string;
  readonly identity: string;
  readonly timings: LeaseTimings;
}

async function main(settings: HolderSettings): Promise<void> {
  const { kubeconfig, identity, timings } = settings;
  const { config } = await loadKubeconfig(kubeconfig);
  const client = createClient(createTransport(config));
  const fence = createLeaseFence();
  const election = createLeaderElection({
    client,
    namespace: 'default',
    name: 'paused',
    identity,
    fence,
    timings,
    onStarted: (signal) => writeUntil(signal),
  });
  const fenced = client.over((transport) => fencedTransport(transport, fence));

  let asked = false;
  process.once('SIGUSR2', () => (asked = true));

  /** Stops on request, between two writes: a request already sent would still arrive. */
  function stopIfAsked(): void {
    if (!asked) return;
    asked = false;
    process.kill(process.pid, 'SIGSTOP');
  }

  async function writeUntil(signal: AbortSignal): Promise<void> {
    say('leading');
    for (let count = 0; !signal.aborted; count += 1) {
      const metadata = { name: identity, namespace: 'default' };
      try {
        await fenced.apply(
          { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { count: String(count) } },
          { force: true },
        );
        if (count === 0) say('written');
      } catch (error) {
        say(`refused ${(error as { reason?: string }).reason ?? String(error)}`);
      }
      stopIfAsked();
      await sleep(0.02, { clock: systemClock });
    }
  }

  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort(new Error('SIGTERM')));
  say(await election.run(stop.signal));
  process.exit(0);
}

function say(word: string): void {
  process.stdout.write(`${word}\n`);
}

await main(JSON.parse(process.argv[2] ?? '') as HolderSettings);
