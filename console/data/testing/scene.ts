/** Visible objects of a test: those that are given, all rights, nothing else. */
import type { CatalogSpec, Catalog } from '../../../api/catalog.ts';
import { NOW, condition } from '../../../report/testing/objects.ts';
import type { Ask, Asked } from '../ask.ts';
import { isProblem, type Parameters, type View, type Visible } from '../view.ts';

export function visibleWith(objects: Partial<Visible> = {}): Visible {
  return {
    subscriptions: [],
    revisions: [],
    catalogs: [],
    registryPolicies: [],
    events: [],
    leases: [],
    reach: {
      subscriptions: 'all',
      revisions: 'all',
      catalogs: 'all',
      registryPolicies: 'all',
      events: 'all',
      leases: 'all',
    },
    readOnly: false,
    systemNamespace: 'slipway-system',
    now: NOW,
    ...objects,
  };
}

/** The model with every right granted, unless other answers are given. @throws Error if the view gives a problem */
export function modelOf<Model extends object>(
  view: View<Model>,
  visible: Visible,
  { parameters = { namespace: 'ops', name: 'gadget' }, asked = {} }: { readonly parameters?: Parameters; readonly asked?: Asked } = {}, // prettier-ignore
): Model {
  const model = view.show(visible, parameters, { access: allowed(view.ask?.(visible, parameters) ?? {}), ...asked });
  if (isProblem(model)) throw new Error(`${model.reason}: ${model.message}`);
  return model;
}

/** Every right is there. */
function allowed({ access = [] }: Ask): readonly boolean[] {
  return access.map(() => true);
}

/** A Catalog that is in service. */
export function catalogNamed(name: string, spec: Partial<CatalogSpec> = {}): Catalog {
  return {
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Catalog',
    metadata: { name, uid: `c-${name}`, generation: 1 },
    spec: { source: { image: { ref: 'registry.example/catalog:v1' } }, priority: 0, suspend: false, ...spec },
    status: {
      observedGeneration: 1,
      packages: 2,
      bundles: 4,
      conditions: [condition('Ready', 'True', 'Succeeded', '2 packages are in service')],
    },
  };
}
