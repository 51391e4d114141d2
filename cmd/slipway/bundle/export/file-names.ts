/** Names files after the objects in them. Pure. */
import type { KubeObject } from '../../../../api/object.ts';

const LONGEST = 100;

/** `deployment-gadget.yaml` for each object, in their order; no two are the same, on any file system. */
export function fileNames(objects: readonly KubeObject[]): readonly string[] {
  const used = new Set<string>();
  return objects.map(({ kind, metadata }) => {
    const base = `${kind}-${metadata.name}`
      .toLowerCase()
      .replaceAll(/[^a-z0-9.-]+/g, '-')
      .slice(0, LONGEST);
    let name = base;
    for (let number = 2; used.has(name); number += 1) name = `${base}-${number}`;
    used.add(name);
    return `${name}.yaml`;
  });
}
