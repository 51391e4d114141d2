/** Revisions that pass for the manager's, with manifests that nothing rendered: one for each, of a Subscription of their own. Pure. */
import { API_VERSION } from '../../api/names.ts';
import { revised, type Act, type Target } from './acts.ts';
import { HOSTILE_CATALOG, NAMESPACES, PACKAGE, type Arena } from './arena.ts';

const [NAMESPACE] = NAMESPACES;
/** No random act names it, so that the Revisions have an owner during the whole fuzz. */
const NAME = 'forgeries';

/** The Subscription first. */
export function forgeries({ images, garbage }: Arena): readonly Act[] {
  const spec = {
    bundle: `${PACKAGE}.v1.0.0`,
    version: '1.0.0',
    catalog: HOSTILE_CATALOG,
    image: images[0],
    configHash: 'another',
    certificates: 'Manager',
  };
  return [
    put(targetOf('Subscription', NAME), { package: PACKAGE, catalog: HOSTILE_CATALOG }),
    ...garbage.map((one, at) => {
      // Numbers that the manager does not come to.
      const target = targetOf('Revision', `${NAME}-${at + 100}`);
      const disguise = { subscription: NAME, garbage: one };
      return { ...put(target, revised(spec, target, one)), disguise };
    }),
  ];
}

function targetOf(kind: string, name: string): Target {
  return { kind, name, collection: `/apis/${API_VERSION}/namespaces/${NAMESPACE}/${kind.toLowerCase()}s` };
}

function put(target: Target, spec: object): Act & { readonly does: 'put' } {
  const { kind, name } = target;
  return { ...target, does: 'put', body: { apiVersion: API_VERSION, kind, metadata: { name }, spec } };
}
