import { inCsv, type Check } from './check.ts';

const LABEL = /^operatorframework\.io\/(arch|os)\.(.*)$/;

/** As Go names them. @see https://go.dev/doc/install/source#environment */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  arch: ['amd64', 'arm64', 'ppc64le', 's390x', '386', 'arm', 'riscv64', 'loong64'],
  os: ['linux', 'windows'],
};

/** The labels that say for which machines an operator is are those by which hubs choose. */
export const architectures: Check = {
  name: 'architectures',
  suite: 'operatorhub',
  *run(bundle) {
    for (const [label, value] of Object.entries(bundle.csv.labels)) {
      const [, kind = '', name = ''] = LABEL.exec(label) ?? [];
      const known = KNOWN[kind];
      if (known === undefined) continue;
      const where = { level: 'warning', ...inCsv(bundle, `metadata.labels[${label}]`) } as const;
      if (!known.includes(name)) {
        const what = kind === 'arch' ? 'an architecture' : 'an operating system';
        yield { ...where, message: `"${name}" is not known as ${what}`, advice: `Use one of ${known.join(', ')}` };
      }
      if (value === 'supported' || value === 'unsupported') continue;
      const message = `the label has the value "${value}", and is not understood`;
      yield { ...where, message, advice: 'Set it to supported, or leave it out' };
    }
  },
};
