/** One act of each kind, with and without its optional fields. */
import type { Action } from '../actions.ts';

const PLACE = { namespace: 'ops', name: 'gadget' } as const;
const HASH = `sha256:${'c'.repeat(64)}`;

export interface ActCase {
  readonly because: string;
  readonly action: Action;
}

export const ACTIONS: readonly ActCase[] = [
  {
    because: 'a plan was read',
    action: { kind: 'approve', namespace: 'ops', revision: 'gadget-2', uid: 'r2', plan: HASH },
  },
  { because: 'a version failed', action: { kind: 'reconcile', ...PLACE } },
  { because: 'a Catalog is old', action: { kind: 'refresh', catalog: 'team' } },
  { because: 'nothing is to change', action: { kind: 'suspend', ...PLACE } },
  { because: 'work goes on', action: { kind: 'resume', ...PLACE } },
  { because: 'the version before was better', action: { kind: 'rollback', ...PLACE, version: '1.0.0' } },
  {
    because: 'the version before is in another channel',
    action: { kind: 'rollback', ...PLACE, version: '1.0.0', channel: "it's old" },
  },
  {
    because: 'another version and channel are wanted',
    action: { kind: 'change', ...PLACE, version: '~2.0', channel: '*', approval: 'Manual' },
  },
  {
    because: 'another version is wanted after a rollback',
    action: { kind: 'change', ...PLACE, version: '2.0.0', edges: 'Follow' },
  },
  {
    because: 'a version turns the direction of writing',
    action: { kind: 'rollback', ...PLACE, version: '1.0.0\u202E\u0007' },
  },
  { because: 'the pin is over', action: { kind: 'unpin', ...PLACE } },
  { because: 'a person knows of the loss', action: { kind: 'acknowledge', ...PLACE } },
  { because: 'a package is wanted', action: { kind: 'subscribe', ...PLACE, package: 'gadget' } },
  {
    because: 'a package is wanted in a certain way',
    action: {
      kind: 'subscribe',
      ...PLACE,
      package: 'gadget',
      catalog: 'team',
      channel: "stable'; echo 'EOF\nEOF\n",
      version: '>=1.0.0 <2.0.0',
      approval: 'Manual',
      serviceAccountName: 'installer',
      watchNamespaces: ['ops', 'dev'],
    },
  },
  {
    because: 'it is not needed any more',
    action: { kind: 'uninstall', ...PLACE, uid: 'u1', customResources: 'Retain', objects: 'Orphan' },
  },
  {
    because: 'its custom resources go too',
    action: { kind: 'uninstall', ...PLACE, uid: 'u1', customResources: 'Delete', objects: 'Delete' },
  },
];
