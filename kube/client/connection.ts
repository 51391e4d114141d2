/** The connection of a client to one API server: requests whose paths come from discovery. */
import type { ApiError } from '../../api/api-error.ts';
import { isNotFound } from '../../api/api-answers.ts';
import type { ApiRequest, ApiResponse } from '../transport/api-request.ts';
import type { Transport } from '../transport/transport.ts';
import type { Discovery } from './discovery.ts';

export interface ServerConnection {
  readonly transport: Transport;
  readonly discovery: Discovery;
  /** Owns the fields that are written, unless a request names another one. */
  readonly fieldManager: string;
  /** Most bytes of a list of whole objects. */
  readonly mostListBytes: number;
}

/** Asks for an object without spec, status and data. */
export const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** Sends a request; drops the cache of discovery if the kind is no longer served under its path. */
export async function send({ transport, discovery }: ServerConnection, request: ApiRequest): Promise<ApiResponse> {
  try {
    return await transport.request(request);
  } catch (error) {
    // A 404 without a name is about the path: the kind was removed or has changed.
    if (isNotFound(error) && (error as ApiError).objectName === undefined) discovery.invalidate();
    throw error;
  }
}
