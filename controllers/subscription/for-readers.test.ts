import { describe, expect, test } from 'vitest';
import type { Catalog } from '../../api/catalog.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { Reason } from '../../api/reasons.ts';
import { forReadersOf, whyEmpty } from './for-readers.ts';
import { subscription } from './testing/facts.ts';

const tenants = subscription({ spec: { serviceAccountName: 'installer' } });
const administrators = subscription();

describe('an error that a Subscription reports', () => {
  const forTenants = 'the pull secret of the Catalog cannot be used';
  const naming = {
    reason: 'PullSecretInvalid',
    retry: 'backoff',
    message: 'Secret slipway-system/login is empty',
  } as const;

  test.each([
    {
      one: administrators,
      facts: { ...naming, forTenants },
      says: naming.message,
      because: 'administrators may read it',
    },
    { one: tenants, facts: { ...naming, forTenants }, says: forTenants, because: 'it names a Secret of the manager' },
    { one: tenants, facts: naming, says: naming.message, because: 'it names nothing that is hidden' },
  ])('it says "$says", because $because', ({ one, facts, says }) => {
    const told = forReadersOf(one, new ReasonedError(facts));
    expect(told).toMatchObject({ reason: facts.reason, retry: facts.retry });
    expect(told.describe()).toBe(says);
  });
});

describe('a Catalog without content', () => {
  const message = 'Nothing is in service. Secret slipway-system/login does not exist';
  const catalog = (reason?: Reason): Catalog => {
    const ready = { type: 'Ready', status: 'False', reason, message, lastTransitionTime: '' };
    return { status: reason === undefined ? {} : { conditions: [ready] } } as unknown as Catalog;
  };

  test.each<{ one: typeof tenants; reason?: Reason; says: string | undefined; because: string }>([
    { one: administrators, reason: 'PullSecretInvalid', says: message, because: 'administrators may read it' },
    {
      one: tenants,
      reason: 'PullSecretInvalid',
      says: 'PullSecretInvalid: its spec or an object that the spec names cannot be used. Ask an administrator of the cluster',
      because: 'it names a Secret of the manager',
    },
    {
      one: tenants,
      reason: 'InvalidSpec',
      says: 'InvalidSpec: its spec or an object that the spec names cannot be used. Ask an administrator of the cluster',
      because: 'it may name a ConfigMap of the manager, or quote it',
    },
    { one: tenants, reason: 'RegistryUnavailable', says: message, because: 'a registry is none of these objects' },
    { one: tenants, says: undefined, because: 'it has not been read yet' },
  ])('the Subscription says "$says", because $because', ({ one, reason, says }) => {
    expect(whyEmpty(one, catalog(reason))).toBe(says);
  });
});
