/** The command line as a package for `npm install --global`: the bundled program, its licences and manual pages. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { renderManPages } from '../man-pages.ts';
import { ROOT } from './bundle.ts';
import { programFiles, PROGRAMS } from './programs.ts';
import { run } from './run.ts';
import type { Files } from './write-files.ts';

/** Files of the package, by path. As `kubectl-slipway` the program is a plugin of kubectl. */
export async function npmPackageFiles(): Promise<Files> {
  const [program, licence, own] = await Promise.all([
    programFiles('slipway', PROGRAMS['slipway']!),
    readFile(resolve(ROOT, 'LICENSE')),
    readFile(resolve(ROOT, 'package.json'), 'utf8'),
  ]);
  const pages = [...renderManPages()].map(([name, text]) => [`man/${name}`, Buffer.from(text)] as const);
  const { version, description, license, engines } = JSON.parse(own) as Readonly<Record<string, unknown>>;
  const manifest = {
    name: 'slipway',
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { slipway: 'slipway.js', 'kubectl-slipway': 'slipway.js' },
    man: pages.map(([path]) => path),
  };
  return new Map([
    ...program,
    ['LICENSE', licence],
    ['README.md', Buffer.from(README)],
    ['package.json', Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)],
    ...pages,
  ]);
}

const README = `# slipway

The command line of Slipway, an operator lifecycle manager for Kubernetes; as \`kubectl slipway\` also a plugin of kubectl.
\`slipway --help\` lists the commands, and \`man slipway\` shows the manual.
`;

/** Packs a folder with the files of a package; returns the name of the archive. */
export async function packNpm(folder: string, target: string): Promise<string> {
  const args = ['pack', folder, '--pack-destination', target, '--json', '--ignore-scripts'];
  const output = await run('npm', args, { cwd: target, need: 'npm packs the command line' });
  const [packed] = JSON.parse(output.toString('utf8')) as readonly { readonly filename: string }[];
  if (packed === undefined) throw new Error('npm pack reports no archive');
  return packed.filename;
}
