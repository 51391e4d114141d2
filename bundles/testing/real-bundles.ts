/** Renders every bundle of a folder of packages in each mode that it supports, and keeps a hash of each rendering. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ReasonedError } from '../../api/errors.ts';
import { formatJson } from '../../api/json.ts';
import type { Bundle } from '../bundle.ts';
import { parseBundle } from '../parse.ts';
import { renderBundle, supportedModes, type InstallMode, type RenderOptions } from '../render/render.ts';
import { readBundleFolder } from './folder.ts';

export interface Rendering {
  /** `aqua/6.2.1, OwnNamespace` */
  readonly name: string;
  readonly mode: InstallMode;
  /** SHA-256 of the objects as JSON, or why there are none. */
  readonly result: { readonly hash: string } | { readonly refusal: ReasonedError };
}

/** Folders of all bundles: `<root>/operators/<package>/<version>`. */
export function bundleFolders(root: string): readonly string[] {
  const operators = join(root, 'operators');
  return readdirSync(operators).flatMap((name) =>
    readdirSync(join(operators, name), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(join(operators, name, entry.name, ANNOTATIONS)))
      .map((entry) => join(operators, name, entry.name)),
  );
}

const ANNOTATIONS = 'metadata/annotations.yaml';

/** The bundle in a folder; `reversed` hands its files over in the opposite order. */
export function readBundle(folder: string, { reversed = false } = {}): Bundle {
  const files = readBundleFolder(folder);
  return parseBundle(reversed ? new Map([...files].toReversed()) : files);
}

/** One rendering for each mode of the bundle in the folder. */
export function renderEachMode(folder: string, bundle: Bundle): readonly Rendering[] {
  const name = folder.split('/').slice(-2).join('/');
  return supportedModes(bundle).map((mode) => ({
    name: `${name}, ${mode}`,
    mode,
    result: resultOf(() => renderBundle(bundle, optionsFor(mode))),
  }));
}

function resultOf(render: () => unknown): Rendering['result'] {
  try {
    return { hash: createHash('sha256').update(formatJson(render())).digest('hex') };
  } catch (error) {
    if (error instanceof ReasonedError) return { refusal: error };
    throw error;
  }
}

function optionsFor(mode: InstallMode): RenderOptions {
  const watchNamespaces = {
    AllNamespaces: [''],
    OwnNamespace: ['ops'],
    SingleNamespace: ['target'],
    MultiNamespace: ['target', 'other'],
  }[mode];
  return { namespace: 'ops', watchNamespaces, certificates: 'manager' };
}
