import { ApiError } from '../api/api-error.ts';
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../api/errors.ts';
import { explainFailure, parseMissingRule } from './api-failure.ts';

const forbidden = (message: string): ReasonedError =>
  new ReasonedError({ reason: 'Forbidden', retry: 'backoff', message });

describe('a failure as data', () => {
  test.each([
    {
      message: 'User "jane" cannot patch resource "deployments" in API group "apps" in the namespace "ops"',
      hint: 'Grant jane the verb patch on deployments.apps',
    },
    {
      message: 'User "jane" cannot create resource "secrets" in API group "" at the cluster scope',
      hint: 'Grant jane the verb create on secrets',
    },
    {
      message: 'pods "x" is forbidden: exceeded quota: small',
      hint: 'Raise the quota of the namespace, or ask for less in spec.config',
    },
    {
      message: 'user "jane" is attempting to grant RBAC permissions not currently held',
      hint: 'The account that applies must hold the rights that it grants, or the verbs escalate and bind',
    },
  ])('says what to do about: $message', ({ message, hint }) => {
    expect(explainFailure(forbidden(message), 'Role a')).toEqual({
      reason: 'Forbidden',
      retry: 'backoff',
      message: `Role a: ${message}`,
      hint,
    });
  });

  test('names the fields of an invalid object', () => {
    const causes = [{ field: 'spec.ports[0].port' }, { field: 'spec.type' }, { field: 'spec.type' }];
    const error = new ApiError('apply Service a', { code: 422, message: 'it is invalid', causes });
    expect(explainFailure(error, 'Service a')).toMatchObject({
      message: 'apply Service a: it is invalid',
      hint: 'Check spec.ports[0].port, spec.type',
    });
  });

  test('a plain Error is not turned into a failure: it is thrown again', () => {
    expect(() => explainFailure(new TypeError('x'), 'Role a')).toThrow(TypeError);
  });

  test('parseMissingRule answers undefined for a message that is not an RBAC refusal', () => {
    expect(parseMissingRule('no')).toBeUndefined();
  });
});
