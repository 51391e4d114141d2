/**
 * The executable of a released program. An older Node cannot even link the program itself, which imports functions that
 * it lacks, and would answer with a SyntaxError; so this file, which any Node with modules can read, asks for the version
 * first and loads the program only then. Pure.
 */

export interface LauncherFacts {
  /** Name of the program in its messages. */
  readonly name: string;
  /** File of the program, beside the launcher. */
  readonly program: string;
  /** `>=24.15`, as `engines` of package.json has it. */
  readonly engines: string;
}

/** Text of the launcher. Throws a plain Error if `engines` is no lower bound. */
export function renderLauncher({ name, program, engines }: LauncherFacts): string {
  const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(engines) ?? [];
  if (major === undefined || minor === undefined) throw new Error(`engines is no lower bound: ${engines}`);
  return `#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > ${major} || (major === ${major} && minor >= ${minor})) {
  await import('./${program}');
} else {
  process.stderr.write(
    '${name}: needs Node ${major}.${minor} or newer, and this is Node ' + process.versions.node + ' (' + process.execPath + ')\\n' +
    '  Put a newer Node on the PATH, or start it by one: /PATH/TO/node ' + process.argv[1] + '\\n',
  );
  process.exitCode = 1;
}
`;
}
