/** The manager deletes its own objects with its own rights, so no other object may pass for one of them. */
import { expect, test } from 'vitest';
import type { InventoryEntry } from '../../apply/inventory.ts';
import type { Revision } from '../../api/revision.ts';
import { managersOwn } from './managers-own.ts';
import { rehearsalName } from './rehearsal/probe-objects.ts';

const REVISION = {
  metadata: { name: 'widgets-2', namespace: 'ops', uid: 'uid-2' },
  spec: { subscription: 'widgets' },
} as unknown as Revision;

const entry = (apiVersion: string, kind: string, name: string, more: Partial<InventoryEntry> = {}): InventoryEntry => ({
  apiVersion,
  kind,
  name,
  uid: '',
  hash: '',
  ...more,
});
const hook = (name: string, apiVersion = 'admissionregistration.k8s.io/v1'): InventoryEntry =>
  entry(apiVersion, 'MutatingWebhookConfiguration', name);
const service = (name: string, more: Partial<InventoryEntry> = {}): InventoryEntry =>
  entry('v1', 'Service', name, { namespace: 'ops', ...more });
const role = (name: string): InventoryEntry => entry('rbac.authorization.k8s.io/v1', 'ClusterRole', name);

const TRIAL = rehearsalName('webhooks');
const SOURCE = service('webhooks', { uid: 'known' });

test.each<{ one: InventoryEntry; others?: readonly InventoryEntry[]; isOwn: boolean; because: string }>([
  { one: hook('slipway-probe-uid-2'), isOwn: true, because: 'the Revision calls webhooks' },
  { one: hook('slipway-probe-uid-9'), isOwn: true, because: 'a Revision that is gone called webhooks' },
  {
    one: { ...hook('slipway-probe-uid-2'), uid: 'known' },
    isOwn: false,
    because: 'only objects of a bundle are listed by their uid',
  },
  { one: hook('x-slipway-probe-uid-2'), isOwn: false, because: 'the name begins otherwise' },
  { one: hook('slipway-probe-'), isOwn: false, because: 'the name has no uid' },
  { one: hook('slipway-probe-uid-2', 'example.com/v1'), isOwn: false, because: 'it is of another API' },
  {
    one: entry('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'slipway-probe-uid-2'),
    isOwn: false,
    because: 'the manager makes none of that kind',
  },
  { one: service(TRIAL), others: [SOURCE], isOwn: true, because: 'the Service in rehearsal was applied' },
  { one: service(TRIAL), isOwn: false, because: 'the Subscription has no such Service' },
  {
    one: service(TRIAL),
    others: [service('webhooks')],
    isOwn: false,
    because: 'the Subscription only meant to apply such a Service, which another one may have',
  },
  {
    one: service(TRIAL),
    others: [{ ...SOURCE, namespace: 'victim' }],
    isOwn: false,
    because: 'the Service is in another namespace',
  },
  {
    one: service(TRIAL),
    others: [{ ...SOURCE, apiVersion: 'example.com/v1' }],
    isOwn: false,
    because: 'the Service is of another API',
  },
  { one: service('other-rehearsal-01234567'), others: [SOURCE], isOwn: false, because: 'the Service has another name' },
  { one: role('slipway-own-kinds.ops.widgets'), isOwn: true, because: 'the manager gave itself rights' },
  { one: role('slipway-own-kinds.ops.gadgets'), isOwn: false, because: 'these are rights for another Subscription' },
  { one: service('webhooks', { uid: 'known' }), isOwn: false, because: 'it is of the bundle' },
])('$one.kind $one.name: own is $isOwn, because $because', ({ one, others = [], isOwn }) => {
  expect(managersOwn({ revision: REVISION }, [one, ...others])(one)).toBe(isOwn);
});
