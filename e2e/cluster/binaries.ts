/**
 * Turns the pinned Go modules of tools.ts into programs: finds them in the folder that SLIPWAY_CLUSTER_BIN names,
 * else in the cache, else builds them with progress on stderr. Called by startCluster and by `main.ts build`.
 * Nothing here starts a program.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../lib/shared.ts';
import { buildPrograms, commandsOf, elapsed, type Progress } from './go-build.ts';
import { withLock } from './lock.ts';
import { compilerFlags, linkerFlags, moduleOf, REPEATABLE, type ToolModule } from './tools.ts';

const MODULES = join(import.meta.dirname, 'modules');

/** Program → path of the executable. */
export type Binaries = ReadonlyMap<string, string>;

/**
 * Finds or builds the programs. Throws where SLIPWAY_CLUSTER_BIN names a folder that lacks one, where Go is
 * missing, and where a build fails (with the end of the compiler's output).
 */
export async function provideBinaries(programs: readonly string[], progress: Progress): Promise<Binaries> {
  const given = process.env['SLIPWAY_CLUSTER_BIN'];
  if (given !== undefined && given !== '') return binariesFrom(given, programs);
  const modules = [...Map.groupBy(programs, moduleOf)];
  for (const [index, [module, wanted]] of modules.entries()) {
    const label = `${wanted.join(', ')} (${index + 1} of ${modules.length})`;
    await provideModule(module, wanted, (line, state) => progress(`${label}: ${line}`, state));
  }
  return new Map(programs.map((program) => [program, join(targetFolder(moduleOf(program)), program)]));
}

/** Whether a program is there without building it. */
export function hasProgram(program: string): boolean {
  const given = process.env['SLIPWAY_CLUSTER_BIN'];
  return existsSync(join(given === undefined || given === '' ? targetFolder(moduleOf(program)) : given, program));
}

function binariesFrom(folder: string, programs: readonly string[]): Binaries {
  const missing = programs.filter((program) => !existsSync(join(folder, program)));
  if (missing.length > 0) throw new Error(`The folder of SLIPWAY_CLUSTER_BIN lacks ${missing.join(', ')}: ${folder}`);
  return new Map(programs.map((program) => [program, join(folder, program)]));
}

/** Builds those of the programs that are missing, by one command. */
async function provideModule(module: ToolModule, wanted: readonly string[], progress: Progress): Promise<void> {
  const target = targetFolder(module);
  const missing = (): readonly string[] => wanted.filter((program) => !existsSync(join(target, program)));
  if (missing().length === 0) return;
  mkdirSync(target, { recursive: true });
  const started = Date.now();
  const onWait = (): void => progress(`another process builds, ${elapsed(started)}`, 'running');
  await withLock(join(target, 'build.lock'), { onWait }, async () => {
    const left = missing();
    if (left.length === 0) return;
    const programs = Object.fromEntries(left.map((program) => [program, module.programs[program]!]));
    const [folder, flags, cgo] = [sourceFolder(module), flagsOf(module), module.cgo === true];
    await buildPrograms({ folder, programs, flags, cgo, target, progress });
  });
}

/** Named by a hash of all inputs of the programs, so that a change never uses an old binary. */
function targetFolder(module: ToolModule): string {
  const hash = createHash('sha256');
  // With all packages in one command, some programs were built under the names of others.
  const furtherCommands = commandsOf(module.programs).slice(1).flatMap(Object.keys);
  for (const part of [...sources(module), ...flagsOf(module), process.arch, ...furtherCommands])
    hash.update(`${part}\0`);
  return cacheFolder('bin', `${module.name}-${hash.digest('hex').slice(0, 16)}`);
}

function flagsOf(module: ToolModule): readonly string[] {
  const goMod = readFileSync(join(sourceFolder(module), 'go.mod'), 'utf8');
  const tags = module.tags === undefined ? [] : [`-tags=${module.tags.join(',')}`];
  return [...REPEATABLE, `-ldflags=${linkerFlags(module, goMod)}`, ...compilerFlags(module), ...tags];
}

function sources(module: ToolModule): string[] {
  const folder = sourceFolder(module);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
    .map((file) => readFileSync(file, 'utf8'));
}

function sourceFolder({ name }: ToolModule): string {
  return join(MODULES, name);
}
