import { INSTALL_MODES } from '../render/install-mode.ts';
import { duplicates, inCsv, type Check } from './check.ts';

/** A bundle says which namespaces it can watch: each mode once, at least one supported. */
export const installModes: Check = {
  name: 'install-modes',
  suite: 'format',
  *run(bundle) {
    const modes = bundle.csv.spec.installModes ?? [];
    const where = inCsv(bundle, 'spec.installModes');
    const advice = `Set "supported" for each of ${INSTALL_MODES.join(', ')}`;
    if (modes.length === 0) yield { level: 'error', ...where, message: 'there are no install modes', advice };
    for (const type of duplicates(modes.map((mode) => mode.type))) {
      yield { level: 'error', ...where, message: `the install mode ${type} is there several times`, advice };
    }
    for (const [index, { type }] of modes.entries()) {
      if (INSTALL_MODES.some((known) => known === type)) continue;
      const path = `spec.installModes[${index}].type`;
      yield { level: 'error', ...inCsv(bundle, path), message: `there is no install mode "${type}"`, advice };
    }
    if (modes.length > 0 && !modes.some(({ supported }) => supported)) {
      yield { level: 'error', ...where, message: 'no install mode is supported', advice };
    }
  },
};
