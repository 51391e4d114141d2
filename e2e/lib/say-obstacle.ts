/** Says once, before all stories, where this machine cannot have a real node, and what runs in place of it. */
import { realNodeObstacle } from '../cluster/cluster.ts';

export default function sayObstacle(): void {
  const obstacle = realNodeObstacle();
  if (obstacle === undefined) return;
  process.stderr.write(
    `${obstacle}. Pods are pretended by kwok, and the manager is a process with what its Pod has.\n`,
  );
}
