import { isHidden } from '../manifests.ts';
import type { Check } from './check.ts';

/** Programs disagree about hidden files of `manifests/`, which desktops and editors leave there by accident. */
export const hiddenFiles: Check = {
  name: 'hidden-files',
  suite: 'format',
  *run(_bundle, { files }) {
    for (const file of [...(files?.keys() ?? [])].filter(isHidden).sort()) {
      const message =
        'the file is hidden: catalogs pass over it, and an installation applies any objects in it, except in a hidden folder';
      const advice = 'Remove it; if it has objects, give it a name without the dot';
      yield { level: 'warning', file, message, advice };
    }
  },
};
