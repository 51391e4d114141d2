/** Parses the Status of an unsuccessful response. Pure; retry-policy.ts and the caller decide about retries. */
import type { Status, StatusCause } from '../../api/api-error.ts';
import { fieldsOf, itemsOf, listOf, textOf, type Fields } from '../../api/untyped.ts';

/** Upper limit for a `Retry-After`. */
const LONGEST_RETRY_AFTER_SECONDS = 60;

/**
 * Parses a `v1.Status` from a response body; anything else becomes a Status of the HTTP code with the first line of the
 * text as its message. `retryAfter` is the header.
 */
export function parseStatus(code: number, text: string, retryAfter?: string): Status {
  const body = parseObject(text);
  const isStatus = body['kind'] === 'Status';
  const details = fieldsOf(isStatus ? body['details'] : undefined);
  const after = parseRetryAfter(retryAfter) ?? positive(details['retryAfterSeconds']);
  return {
    code: (isStatus && code === 200 ? positive(body['code']) : undefined) ?? code,
    message: (isStatus ? stringOf(body['message']) : undefined) ?? firstLine(text) ?? `status ${code}`,
    causes: causesOf(details['causes']),
    ...optional('reason', isStatus ? stringOf(body['reason']) : undefined),
    ...optional('name', stringOf(details['name'])),
    ...optional('kind', stringOf(details['kind'])),
    ...optional('retryAfterSeconds', after),
  };
}

/** Seconds of a `Retry-After` header, at most a minute; undefined if it is a date, invalid or absent. */
function parseRetryAfter(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header)
    ? Math.min(Number(header), LONGEST_RETRY_AFTER_SECONDS)
    : undefined;
}

function causesOf(value: unknown): StatusCause[] {
  return listOf(itemsOf(value).slice(0, 100)).map(causeOf);
}

function causeOf({ reason, message, field }: Fields): StatusCause {
  return {
    ...optional('reason', stringOf(reason)),
    ...optional('message', stringOf(message)),
    ...optional('field', stringOf(field)),
  };
}

function firstLine(text: string): string | undefined {
  return stringOf(text.split('\n', 1)[0]?.slice(0, 300));
}

function parseObject(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

/** A text that is not empty. */
function stringOf(value: unknown): string | undefined {
  return textOf(value) || undefined;
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? Math.min(value, 599) : undefined;
}

function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: Value };
}
