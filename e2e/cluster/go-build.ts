/** Runs `go build` for the programs of one module and reports how far it is. */
import { spawn } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

const REPORT_EVERY_MS = 1_000;
const OUTPUT_LINES_KEPT = 20;

/** Reports how far a build is; on a terminal each report overwrites the one before. */
export type Progress = (line: string, state: 'running' | 'done') => void;

export interface GoBuild {
  /** Folder of the module. */
  readonly folder: string;
  /** Program → Go package. */
  readonly programs: Readonly<Record<string, string>>;
  readonly flags: readonly string[];
  /** Compile and link C code too. */
  readonly cgo: boolean;
  /** The folder of the executables; each appears there complete or not at all. */
  readonly target: string;
  readonly progress: Progress;
}

/**
 * Builds beside the target and renames. All programs are built by one command, so that shared packages are loaded once, and
 * one program is linked while another is compiled. Throws with the end of the compiler's output if the build fails.
 */
export async function buildPrograms(build: GoBuild): Promise<void> {
  for (const programs of commandsOf(build.programs)) await buildAtOnce({ ...build, programs });
}

/** Go names each file after the folder of its package: of programs with the same name only the last one would be there. */
export function commandsOf(programs: GoBuild['programs']): readonly GoBuild['programs'][] {
  const commands: Record<string, string>[] = [];
  for (const [program, goPackage] of Object.entries(programs)) {
    const isFree = (command: GoBuild['programs']): boolean =>
      Object.values(command).every((other) => fileOf(other) !== fileOf(goPackage));
    const command = commands.find(isFree);
    if (command === undefined) commands.push({ [program]: goPackage });
    else command[program] = goPackage;
  }
  return commands;
}

async function buildAtOnce({ folder, programs, flags, cgo, target, progress }: GoBuild): Promise<void> {
  const partial = mkdtempSync(join(target, '.building-'));
  const files = outputsOf(programs);
  // with one package Go takes a file, which may have another name than the package
  const output = files.size === 1 ? join(partial, [...files.values()][0]!) : `${partial}/`;
  try {
    await runGo(['build', '-v', ...flags, '-o', output, ...Object.values(programs)], { folder, cgo, progress });
    for (const [program, file] of files) renameSync(join(partial, file), join(target, program));
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Program → name of the file that Go writes: of several packages each has the name of its folder. */
export function outputsOf(programs: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const all = Object.entries(programs);
  return new Map(all.map(([program, goPackage]) => [program, all.length === 1 ? program : fileOf(goPackage)]));
}

/** The name of the package's folder, or of the one above if that is the major version of the module. */
function fileOf(goPackage: string): string {
  return basename(goPackage.replace(/\/v\d+$/, ''));
}

/** Runs `go ARGS` in the folder. `-v` makes it print each package when it is compiled, which is the progress. */
async function runGo(
  args: readonly string[],
  { folder, cgo, progress }: Pick<GoBuild, 'folder' | 'cgo' | 'progress'>,
): Promise<void> {
  const started = Date.now();
  const child = spawn('go', args, { cwd: folder, env: goEnvironment(cgo), stdio: ['ignore', 'ignore', 'pipe'] });
  let packages = 0;
  const last: string[] = [];
  const lines = createInterface({ input: child.stderr });
  lines.on('line', (line) => {
    packages += 1;
    last.push(line);
    if (last.length > OUTPUT_LINES_KEPT) last.shift();
  });
  const report = (verb: string): string => `${verb}, ${packages} packages compiled, ${elapsed(started)}`;
  const timer = setInterval(() => progress(report('building'), 'running'), REPORT_EVERY_MS);
  try {
    await ended(child, () => last.join('\n'));
    progress(report('built'), 'done');
  } finally {
    clearInterval(timer);
    lines.close();
  }
}

function ended(child: ReturnType<typeof spawn>, output: () => string): Promise<void> {
  const stopWithUs = (): boolean => child.kill('SIGTERM');
  process.once('exit', stopWithUs);
  return new Promise<void>((resolve, reject) => {
    child.once('error', () =>
      reject(new Error('Go 1.26.6 or newer is needed to build the test cluster: no `go` in PATH')),
    );
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`go build ended with exit code ${code}:\n${output()}`)),
    );
  }).finally(() => process.off('exit', stopWithUs));
}

/** Garbage is collected in processes that have so much memory, which few packages need: a seventh less time. */
const COLLECT_LATE = { GOGC: 'off', GOMEMLIMIT: '1GiB' };

/** No C compiler if it is not needed, no other Go version, no workspace file of a folder above. */
function goEnvironment(cgo: boolean): NodeJS.ProcessEnv {
  return { ...COLLECT_LATE, ...process.env, CGO_ENABLED: cgo ? '1' : '0', GOTOOLCHAIN: 'local', GOWORK: 'off' };
}

/** How long ago that was, as `12 s` or `3 min 4 s`. */
export function elapsed(since: number): string {
  const total = Math.round((Date.now() - since) / 1000);
  return total < 60 ? `${total} s` : `${Math.floor(total / 60)} min ${total % 60} s`;
}
