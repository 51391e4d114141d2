/** Ways to destroy by a request alone: to reach what belongs to others. */
import { ANNOTATION, FINALIZER } from '../../../api/names.ts';
import { pathOf } from '../../lib/objects.ts';
import { CRD_INSTALLER, patch, PLATFORMS, REVISIONS, type Way } from './ways-attacker.ts';
import { PLATFORM, TEAM } from './ways-scene.ts';

export const REACH: readonly Way[] = [
  {
    name: 'uid of the own Subscription on a victim’s object',
    aim: 'destroy',
    attempt: ({ send }) =>
      send(
        patch(pathOf('Deployment', 'store', PLATFORM), { metadata: { annotations: { [ANNOTATION.ownerUid]: 'x' } } }),
      ),
    defence: 'refused',
    because: 'he writes nothing in other namespaces',
  },
  {
    name: 'adoption of another tenant’s objects',
    aim: 'destroy',
    attempt: ({ send }) =>
      send(
        patch('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.tiny.example', {
          metadata: { annotations: { [ANNOTATION.adoptBy]: `${TEAM}/store` } },
        }),
      ),
    defence: 'refused',
    because: 'who hands an object over must be able to write it',
  },
  {
    name: 'Subscription of another namespace by its path',
    aim: 'destroy',
    attempt: async ({ send }) => {
      const remove = await send({ method: 'DELETE', path: `${PLATFORMS}/store` });
      return remove === 'refused' ? send({ method: 'DELETE', path: PLATFORMS }, CRD_INSTALLER) : remove;
    },
    defence: 'refused',
    because: 'his rights end with his namespace',
  },
  {
    name: 'finalizer of a victim’s Revision taken off',
    aim: 'destroy',
    attempt: ({ send }) => send(patch(`${REVISIONS}/astore-1`, { metadata: { finalizers: [`${FINALIZER}-not`] } })),
    defence: 'refused',
    because: 'of a Revision only the approval is changed by hand',
  },
];
