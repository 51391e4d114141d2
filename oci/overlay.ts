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
  let layer: LayerEntry[] = [];
  return {
    admit(entry) {
      const visible = entry.kind === 'file' || entry.kind === 'folder' ? !above.hides(entry.path, entry.kind) : true;
      if (visible)
        layer.push(entry.kind === 'file' ? { kind: 'file', path: entry.path, size: 0, chunks: none() } : entry);
      return visible;
    },
    nextLayer() {
      for (const entry of layer) above.add(entry);
      layer = [];
    },
  };
}

async function* none(): AsyncGenerator<Uint8Array> {}

function createView() {
  const files = new Set<string>();
  const folders = new Set<string>();
  const gone = new Set<string>();
  const emptied = new Set<string>();
  return {
    hides(path: string, kind: 'file' | 'folder'): boolean {
      if (files.has(path) || gone.has(path) || (kind === 'file' && folders.has(path))) return true;
      return ancestors(path).some((folder) => files.has(folder) || gone.has(folder) || emptied.has(folder));
    },
    add({ kind, path }: LayerEntry): void {
      if (kind === 'whiteout') gone.add(path);
      else if (kind === 'opaque') emptied.add(path);
      else if (kind === 'folder') folders.add(path);
      else {
        files.add(path);
        for (const folder of ancestors(path)) folders.add(folder);
      }
    },
  };
}

/** `a/b/c` → `a/b`, `a`, ``. */
function ancestors(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(0, parts.length - 1 - index).join('/'));
}
