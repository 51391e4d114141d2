import { inCsv, type Check } from './check.ts';

const MEDIATYPES = ['image/gif', 'image/jpeg', 'image/png', 'image/svg+xml'];

/** Hubs show one icon. */
export const icon: Check = {
  name: 'icon',
  suite: 'operatorhub',
  *run(bundle) {
    const icons = bundle.csv.spec.icon ?? [];
    const where = inCsv(bundle, 'spec.icon');
    const [first] = icons;
    if (first === undefined) {
      yield { level: 'warning', ...where, message: 'there is no icon', advice: 'Add one, as base64' };
      return;
    }
    if (icons.length > 1) {
      yield { level: 'error', ...where, message: `there are ${icons.length} icons`, advice: 'Keep one' };
    }
    const { base64data = '', mediatype = '' } = first;
    if (base64data === '' || mediatype === '') {
      yield { level: 'error', ...where, message: 'the icon has no data or no mediatype', advice: 'Give both' };
    }
    if (mediatype === '' || MEDIATYPES.includes(mediatype)) return;
    const message = `the mediatype "${mediatype}" is not that of an icon`;
    yield { level: 'error', ...where, message, advice: `Use one of ${MEDIATYPES.join(', ')}` };
  },
};
