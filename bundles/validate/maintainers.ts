import { inCsv, type Check } from './check.ts';

/** Maintainers can be written to. */
export const maintainers: Check = {
  name: 'maintainers',
  suite: 'operatorhub',
  *run(bundle) {
    for (const [index, { name = '', email = '' }] of (bundle.csv.spec.maintainers ?? []).entries()) {
      const where = { level: 'error', ...inCsv(bundle, `spec.maintainers[${index}]`) } as const;
      if (name === '' || email === '') {
        yield { ...where, message: 'a maintainer has no name or no email', advice: 'Give both' };
      }
      if (email === '' || isAddress(email)) continue;
      yield { ...where, message: `"${email}" is not an address`, advice: 'Write it as name@example.com' };
    }
  },
};

/** `a@b` or `Name <a@b>`. */
function isAddress(text: string): boolean {
  if (text.length > 320) return false;
  const bare = /<([^<>]*)>\s*$/.exec(text)?.[1] ?? text.trim();
  return /^[^\s@<>]+@[^\s@<>]+$/.test(bare);
}
