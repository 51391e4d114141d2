/**
 * A program: with `decide` it decides about a Subscription beside one whose configuration is as deep as the API server takes it,
 * with `write` it writes that configuration; it prints the outcomes. A process of its own, since the threads of tests have larger stacks than the manager.
 */
import { canonicalJson, formatJson } from '../../../api/json.ts';
import { keyOfObject } from '../../../api/object.ts';
import type { Revision } from '../../../api/revision.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { decideSubscription } from '../decide.ts';
import { observeSubscription, type SubscriptionCaches } from '../observe.ts';
import { NOW, revision, subscription } from './facts.ts';

const LEVELS = 9900;
const text = `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`;
const deep: unknown = JSON.parse(text);

/** Not reduced, as if no cache had seen it. Its account has changed since its Revision was made, so that hashes count. */
function tenants(metadata: object = {}): Subscription {
  const one = subscription({ namespace: 'team-a', metadata, spec: { serviceAccountName: 'other' } });
  return { ...one, spec: { ...one.spec, config: { affinity: deep } } } as Subscription;
}

function decide(name: string, tenant: Subscription): unknown {
  const victim = subscription({ name: 'victim', namespace: 'platform', spec: { package: 'victim' } });
  const all = [victim, tenant];
  const one = revision({ ready: true, serviceAccountName: 'installer' });
  const revisions: readonly Revision[] = [{ ...one, metadata: { ...one.metadata, namespace: 'team-a' } }];
  const caches = {
    subscriptions: { get: (key: string) => all.find((each) => keyOfObject(each) === key), list: () => all },
    revisions: {
      get: () => undefined,
      byIndex: (_: string, key: string) => (key === 'team-a/gadget' ? revisions : []),
    },
    catalogs: { list: () => [] },
    content: { get: () => undefined },
    namespaces: { get: () => undefined },
  } as unknown as SubscriptionCaches;
  const namespace = name === 'victim' ? 'platform' : 'team-a';
  const facts = observeSubscription(caches, { namespace, name }, { server: { providedKinds: [] }, now: NOW });
  return facts && { kind: decideSubscription(facts).kind, revisions: facts.revisions.length };
}

const outcomes =
  process.argv[2] === 'write'
    ? [formatJson(deep), formatJson(deep, 2), canonicalJson(deep)].map((json) => json === text)
    : {
        victim: decide('victim', tenants()),
        tenant: decide('gadget', tenants()),
        uninstall: decide('gadget', tenants({ deletionTimestamp: '2026-05-01T11:59:00Z' })),
      };
process.stdout.write(`${JSON.stringify(outcomes)}\n`);
