/** Refusals of the fake API server, as the real one words them. */
import type { StatusCause } from '../../api/api-error.ts';

/** Ends a request with a Status of this code. */
export class Refusal extends Error {
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly StatusCause[];

  constructor(code: number, reason: string, message: string, causes: readonly StatusCause[] = []) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.causes = causes;
  }
}

/** A write that met another state of the object than its sender has seen. */
export function conflict(plural: string, name: string, why: string): Refusal {
  return new Refusal(409, 'Conflict', `Operation cannot be fulfilled on ${plural} "${name}": ${why}`);
}

export function notFound(plural: string, name: string): Refusal {
  return new Refusal(404, 'NotFound', `${plural} "${name}" not found`);
}

/** An object that the API server does not accept because of one field. */
export function invalid(
  plural: string,
  name: string,
  { field, why }: { readonly field: string; readonly why: string },
): Refusal {
  return new Refusal(422, 'Invalid', `${plural} "${name}" is invalid: ${field}: ${why}`, [
    { reason: 'FieldValueInvalid', message: why, field },
  ]);
}

/** The `v1.Status` that a client gets; an error that is no Refusal is a defect of the fake. */
export function statusOf(error: unknown): { readonly code: number } & Readonly<Record<string, unknown>> {
  const refusal = error instanceof Refusal ? error : new Refusal(500, 'InternalError', String(error));
  const { code, reason, message, causes } = refusal;
  const name = /"([^"]+)"/.exec(message)?.[1];
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details: { name, causes } };
}
