import { ApiError } from '../api-error.ts';

/** The error that the client throws for a Status of this code and reason; code 0 if no answer came. */
export function refusal(code: number, reason: string, message: string, cause?: 'NamespaceTerminating'): ApiError {
  const causes = [
    ...(cause === undefined ? [] : [{ reason: cause }]),
    ...(message.includes('metadata.uid') ? [{ field: 'metadata.uid' }] : []),
  ];
  return new ApiError('request', { code, reason, message, causes });
}
