/** What can be seen of the operator when its Pods really run: Beacons that are lit, converted and checked. */
import type { TestCluster } from '../cluster/cluster.ts';
import { until } from '../lib/until.ts';
import { print, show } from './narrate.ts';

const NAMESPACE = ['-n', 'lights'];

/** Applies a Beacon of version 1 and waits for its light. */
export async function lightBeacon(cluster: TestCluster): Promise<void> {
  await cluster.kubectl([...NAMESPACE, 'apply', '-f', '-'], beacon('north', 'v1', { colour: 'red' }));
  await isLitBy(cluster, 'north', '1.0.0');
  show(await cluster.kubectl([...NAMESPACE, 'get', 'beacons']));
}

/** Shows the Beacon as both versions have it. */
export async function showBothVersions(cluster: TestCluster): Promise<void> {
  await isLitBy(cluster, 'north', '2.0.0');
  for (const version of ['v1', 'v2']) {
    const { apiVersion, spec } = await getBeacon(cluster, 'north', version);
    print(`   ${apiVersion}: ${JSON.stringify(spec)}`);
  }
  show(await cluster.kubectl([...NAMESPACE, 'get', 'beacons']));
}

/** Applies a Beacon that lacks something, and one that is wrong. Throws where either is taken as it is. */
export async function showWebhooks(cluster: TestCluster): Promise<void> {
  const { kubectl } = cluster;
  const south = beacon('south', 'v2', { light: { colour: 'green' } });
  await kubectl([...NAMESPACE, 'apply', '-f', '-'], south);
  const { spec } = await getBeacon(cluster, 'south', 'v2');
  if (spec['pattern'] !== 'Steady') throw new Error(`no program filled in the missing field: ${JSON.stringify(spec)}`);
  print(`   applied:  {"light":{"colour":"green"}}\n   stored:   ${JSON.stringify(spec)}`);
  const blinding = beacon('west', 'v2', { light: { colour: 'white', brightness: 100 }, pattern: 'Blinking' });
  const refusal = await kubectl([...NAMESPACE, 'apply', '-f', '-'], blinding).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (refusal === undefined) throw new Error('a Beacon that blinds was taken');
  print(`   refused:  ${refusal.slice(Math.max(0, refusal.indexOf('admission webhook'))).trim()}`);
}

async function isLitBy(cluster: TestCluster, name: string, release: string): Promise<void> {
  let last: BeaconSeen | undefined;
  const isLit = async (): Promise<boolean> => {
    last = await getBeacon(cluster, name, 'v1');
    return last.status?.lit === true && last.status.release === release;
  };
  await until(`Beacon ${name} is lit by ${release}`, isLit, { explain: () => JSON.stringify(last) });
}

interface BeaconSeen {
  readonly apiVersion: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: { readonly lit?: boolean; readonly release?: string };
}

async function getBeacon({ kubectl }: TestCluster, name: string, version: string): Promise<BeaconSeen> {
  const kind = `beacons.${version}.example.slipway.dev`;
  return JSON.parse(await kubectl([...NAMESPACE, 'get', kind, name, '-o', 'json'])) as BeaconSeen;
}

function beacon(name: string, version: string, spec: object): string {
  return JSON.stringify({ apiVersion: `example.slipway.dev/${version}`, kind: 'Beacon', metadata: { name }, spec });
}
