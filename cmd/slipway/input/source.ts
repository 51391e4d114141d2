/** Reads the objects of an author from wherever they are: files, stdin, a kustomization. */
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Environment } from '../environment.ts';
import { isFile, readOneFile, readTree } from './files.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import { runProgram } from './program.ts';

export type SourceFiles = ReadonlyMap<string, Uint8Array>;

const LIMITS = { maxFiles: 2000, maxBytes: 64 << 20 };
const KUSTOMIZATIONS = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** The texts with the objects, by the names that messages give them. @throws ReasonedError InputInvalid */
export async function readSourceFiles(environment: Environment, from: string): Promise<SourceFiles> {
  if (from === '-') return new Map([['stdin', await environment.readInput()]]);
  const path = resolve(environment.folder, from);
  const found = from === '' ? undefined : await stat(path).catch(() => undefined);
  if (found?.isFile() === true) return new Map([[from, await readOneFile(environment, from)]]);
  if (found?.isDirectory() !== true) throw nothingThere(from);
  if (await isFile(join(path, 'Chart.yaml'))) {
    throw invalidInput(`${from} is a Helm chart`, `Say --from chart ${from}, so that helm renders it`);
  }
  const kustomized = await Promise.all(KUSTOMIZATIONS.map((name) => isFile(join(path, name))));
  if (kustomized.includes(true)) return runKustomize(environment, from);
  return readManifests(path, from);
}

async function runKustomize(environment: Environment, from: string): Promise<SourceFiles> {
  const ifMissing = `Install kubectl, or run: kustomize build ${from} | slipway bundle init … --from -`;
  const output = await runProgram(environment, { program: 'kubectl', args: ['kustomize', from], ifMissing });
  return new Map([[`kubectl kustomize ${from}`, output]]);
}

async function readManifests(path: string, from: string): Promise<SourceFiles> {
  const files = await readTree(path, LIMITS);
  const manifests = [...files].filter(([name]) => /\.(?:ya?ml|json)$/.test(name) && !basename(name).startsWith('.'));
  if (manifests.length > 0) return new Map(manifests.map(([name, bytes]) => [`${from}/${name}`, bytes]));
  throw invalidInput(`${from} has no files that end in .yaml, .yml or .json`, 'Name the folder of the manifests');
}

function nothingThere(from: string): Error {
  return invalidInput(
    `there is no file or folder ${JSON.stringify(from)}`,
    'Name a folder or a file of YAML, "-" for stdin, the folder of a kustomization, "chart REF" or "live NAMESPACE"',
  );
}
