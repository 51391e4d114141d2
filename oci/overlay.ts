/** The view through layers, from the topmost down: which entry of a lower layer can still be seen. */
import type { LayerEntry } from './archive.ts';

export interface Overlay {
  /** Whether the entry is visible in the final tree; paths that it hides count from the next layer on. */
  admit(entry: LayerEntry): boolean;
  /** To be called between layers: whiteouts act on lower layers only. */
  nextLayer(): void;
}

/** An overlay with nothing in it yet. @see https://github.com/opencontainers/image-spec/blob/main/layer.md#whiteouts */
export function createOverlay(): Overlay {
  const above = createView();
  let layer: SeenEntry[] = [];
  return {
    admit(entry) {
      const visible = entry.kind === 'file' || entry.kind === 'folder' ? !above.hides(entry.path, entry.kind) : true;
      if (visible) layer.push({ kind: entry.kind, path: entry.path });
      return visible;
    },
    nextLayer() {
      for (const entry of layer) above.add(entry);
      layer = [];
    },
  };
}

type SeenEntry = Pick<LayerEntry, 'kind' | 'path'>;

function createView() {
  const files = new Set<string>();
  const folders = new Set<string>();
  const gone = new Set<string>();
  const emptied = new Set<string>();
  return {
    hides(path: string, kind: 'file' | 'folder'): boolean {
      if (files.has(path) || gone.has(path) || (kind === 'file' && folders.has(path))) return true;
      for (const folder of foldersAbove(path))
        if (files.has(folder) || gone.has(folder) || emptied.has(folder)) return true;
      return false;
    },
    add({ kind, path }: SeenEntry): void {
      if (kind === 'whiteout') gone.add(path);
      else if (kind === 'opaque') emptied.add(path);
      else if (kind === 'folder') folders.add(path);
      else {
        files.add(path);
        for (const folder of foldersAbove(path)) folders.add(folder);
      }
    },
  };
}

/** `a/b/c` → `a/b`, `a`, ``: parts of the same text, which has one place in memory. */
function* foldersAbove(path: string): Generator<string> {
  let folder = path;
  while (folder !== '') {
    folder = folder.slice(0, Math.max(folder.lastIndexOf('/'), 0));
    yield folder;
  }
}
