/** Ways through the trust that a Catalog asks for: signatures, the root of their trust, and pull secrets. */
import { patch, REVISIONS, type Way } from './ways-attacker.ts';

/** In the names and texts of ways-catalogs.ts. */
const HIDDEN = /hidden/;

/** Installs from a Catalog, and raises an alarm if the tenant can read a hidden name or text. */
function installs(catalog: string): Way['attempt'] {
  return async (attacker) => {
    await attacker.subscribe('plain', { catalog });
    const ending = await attacker.reasonOf('plain');
    const text = await attacker.read();
    const found = HIDDEN.exec(text);
    if (found !== null)
      throw new Error(`the tenant reads: ${text.slice(Math.max(0, found.index - 300), found.index + 300)}`);
    return ending;
  };
}

export const TRUST: readonly Way[] = [
  {
    name: 'unsigned bundle from a Catalog that requires signatures',
    aim: 'gain',
    attempt: installs('signed'),
    defence: 'Unsigned',
    because: 'signatures are checked with the policy of the Catalog before a Revision is made',
  },
  {
    name: 'signer of the own Revision written by hand',
    aim: 'gain',
    attempt: async ({ install, send }) => {
      await install('plain');
      return send(patch(`${REVISIONS}/plain-1`, { spec: { signature: { policy: 'x', by: 'key release' } } }));
    },
    defence: 'refused',
    because: 'of a Revision only the approval is changed by hand',
  },
  {
    name: 'name of a missing trusted root',
    aim: 'read',
    attempt: installs('unrooted'),
    defence: 'InvalidSpec',
    because: 'a tenant reads that the root of the Catalog cannot be used, and not its name',
  },
  {
    name: 'text of a trusted root that cannot be parsed',
    aim: 'read',
    attempt: installs('misrooted'),
    defence: 'InvalidSpec',
    because: 'errors of parsers quote their input, and are for administrators',
  },
  {
    name: 'warning about a trusted root',
    aim: 'read',
    attempt: async (attacker) => {
      await attacker.install('plain', { catalog: 'warned' });
      return HIDDEN.test(await attacker.read()) ? 'Succeeded' : 'no effect';
    },
    defence: 'no effect',
    because: 'the warning about a bundle is as brief as a refusal',
  },
  {
    name: 'name of a missing pull secret',
    aim: 'read',
    attempt: installs('locked'),
    defence: 'CatalogUnavailable',
    because: 'a tenant reads that the pull secret of the Catalog cannot be used, and not its name',
  },
];
