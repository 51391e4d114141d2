/**
 * The control groups of real nodes: under each hierarchy one folder for a cluster, with one for each node, in which
 * the kubelet keeps its Pods. They are all that outlives a node's processes, so they are removed by name.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = '/sys/fs/cgroup';
const GONE_WITHIN_MS = 5_000;
const LOOK_AGAIN_MS = 20;

/** Name of the group of the cluster in the folder. */
export function clusterCgroup(folder: string): string {
  return `slipway-${basename(folder)}`;
}

/** Creates the group of a node, `CLUSTER/NODE`, under every hierarchy, empty as after a start of the machine. */
export function createCgroups(folder: string, node: string): void {
  const cluster = clusterCgroup(folder);
  removeEverywhere(join(cluster, node));
  for (const hierarchy of hierarchies().filter(holdsPods)) {
    for (const group of [join(hierarchy, cluster), join(hierarchy, cluster, node)]) {
      mkdirSync(group, { recursive: true });
      if (hierarchy === ROOT) shareControllers(join(group, '..'));
      else if (existsSync(join(group, 'cpuset.cpus'))) inheritCpus(group);
    }
  }
}

/**
 * Removes all groups of the cluster in the folder once the processes in them have ended; gives up after five seconds.
 * A cluster without real nodes has none.
 */
export function removeCgroups(folder: string): void {
  if (existsSync(join(folder, 'node-1'))) removeEverywhere(clusterCgroup(folder));
}

function removeEverywhere(name: string): void {
  const deadline = Date.now() + GONE_WITHIN_MS;
  let left = hierarchies().map((hierarchy) => join(hierarchy, name));
  while (left.length > 0 && Date.now() < deadline) {
    left = left.filter((group) => !removeGroup(group));
    if (left.length > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
  }
}

/** The one hierarchy of version 2, or the many of version 1. */
function hierarchies(): string[] {
  const all = existsSync(ROOT) ? [ROOT, ...readdirSync(ROOT).map((name) => join(ROOT, name))] : [];
  const roots = all.filter((folder) => existsSync(join(folder, 'cgroup.procs')));
  return roots.includes(ROOT) ? [ROOT] : roots;
}

/** Beside those of version 1 the one of version 2 has no controllers; the runtime makes groups there when it wants to. */
function holdsPods(hierarchy: string): boolean {
  return hierarchy === ROOT || !existsSync(join(hierarchy, 'cgroup.controllers'));
}

/** Version 1: a new group may use no processor until its list of processors is written. */
function inheritCpus(group: string): void {
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    writeFileSync(join(group, file), readFileSync(join(group, '..', file), 'utf8').trim());
  }
}

/** Version 2: a group has the controllers that the one above shares. */
function shareControllers(group: string): void {
  for (const controller of readFileSync(join(group, 'cgroup.controllers'), 'utf8').trim().split(' ')) {
    try {
      writeFileSync(join(group, 'cgroup.subtree_control'), `+${controller}`);
    } catch {
      // one that cannot be shared is one that the kubelet does without
    }
  }
}

/** From the innermost outwards; false while something still runs in one of them. */
function removeGroup(group: string): boolean {
  try {
    const inner = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    if (!inner.map(({ name }) => removeGroup(join(group, name))).every(Boolean)) return false;
    rmdirSync(group);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
