/** A client whose lists of whole objects are as bounded as those of the manager, for tests with few objects. */
import { createClient, type Client } from '../client/client.ts';
import type { Transport } from '../transport/transport.ts';
import type { FakeCluster } from './fake-cluster.ts';

/** The same cluster; a list without `keep` of more bytes than these is ApiUnavailable. */
export function withSmallLists(cluster: FakeCluster, mostListBytes: number): Client {
  let transport: Transport | undefined;
  cluster.over((inner) => (transport = inner));
  return createClient(transport as unknown as Transport, { mostListBytes });
}

/** So many bytes of text, as a user may put them into an annotation or a list of subjects. */
export function large(bytes: number): string {
  return 'x'.repeat(bytes);
}
