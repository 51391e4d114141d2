/** Prints once, before all stories, why this machine cannot have a real node, and names its replacement. */
import { realNodeObstacle } from '../cluster/cluster.ts';

export default function sayObstacle(): void {
  const obstacle = realNodeObstacle();
  if (obstacle === undefined) return;
  process.stderr.write(
    `${obstacle}. Pods are pretended by kwok, and the manager is a process with the surroundings of its Pod.\n`,
  );
}
