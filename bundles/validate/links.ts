import { inCsv, type Check } from './check.ts';

/** Links have a name and lead somewhere. */
export const links: Check = {
  name: 'links',
  suite: 'operatorhub',
  *run(bundle) {
    for (const [index, { name = '', url = '' }] of (bundle.csv.spec.links ?? []).entries()) {
      const where = { level: 'error', ...inCsv(bundle, `spec.links[${index}]`) } as const;
      if (name === '' || url === '') {
        yield { ...where, message: 'a link has no name or no url', advice: 'Give both' };
      }
      if (url === '' || url.startsWith('/') || URL.canParse(url)) continue;
      yield { ...where, message: `"${url}" is not a URL`, advice: 'Write it as https://example.com/docs' };
    }
  },
};
