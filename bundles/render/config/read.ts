/**
 * Reads values of the configuration as the types of Kubernetes, so that a mistake is reported before anything is
 * applied.
 */
import { ReasonedError } from '../../../api/errors.ts';
import { decode, DecodeError } from '../../typed/decode.ts';
import { unknownFields } from '../../typed/unknown-fields.ts';

/** The value as the named type. @throws ReasonedError InvalidConfiguration for unknown fields and wrong values. */
export function readConfig(type: string, data: unknown, path: string): unknown {
  const [unknown] = unknownFields(type, data);
  if (unknown !== undefined) {
    throw invalidConfig(`${path}${join(unknown)}`, 'there is no such field', 'Correct its name or remove it');
  }
  try {
    return decode(type, data);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw invalidConfig(`${path}${join(error.path)}`, error.what, 'Correct the value');
  }
}

function join(path: string): string {
  return path === '' || path.startsWith('[') ? path : `.${path}`;
}

/** The error for a mistake in the configuration, with its path. */
export function invalidConfig(path: string, what: string, hint: string): ReasonedError {
  return new ReasonedError({ reason: 'InvalidConfiguration', retry: 'never', message: `${path}: ${what}`, hint });
}
