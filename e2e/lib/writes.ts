/**
 * The requests of kubectl without the cost of a process: for the objects that a story creates and deletes again and
 * again. Actions of users are done with kubectl.
 */
import { ANNOTATION } from '../../api/names.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { isReady, pathOf, waitFor, type Wanted } from './objects.ts';
import { until } from './until.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Applies them on the server, one after the other, as `kubectl apply --server-side` does. */
export async function apply(cluster: TestCluster, ...manifests: readonly (string | object)[]): Promise<void> {
  for (const manifest of manifests) {
    const object = (typeof manifest === 'string' ? JSON.parse(manifest) : manifest) as Manifest;
    const path = pathOf(object.kind, object.metadata.name, object.metadata.namespace);
    await cluster.request('APPLY', `${path}?fieldManager=kubectl&fieldValidation=Strict`, object);
  }
}

/** Deletes an object and waits until it is gone; one that there is not is gone already. */
export async function remove(cluster: TestCluster, wanted: Wanted): Promise<void> {
  const { kind, name, namespace, timeoutSeconds = 180 } = wanted;
  if (await startRemoval(cluster, wanted).then(() => false, isMissing)) return;
  const isGone = async (): Promise<boolean> => !(await isThere(cluster, pathOf(kind, name, namespace)));
  await until(`${kind} ${name} is gone`, isGone, { timeoutSeconds });
}

/** Whether there is an object at the path. */
export async function isThere(cluster: Pick<TestCluster, 'read'>, path: string): Promise<boolean> {
  return !(await cluster.read(path).then(() => false, isMissing));
}

/** Awaits a request about an object that may be gone meanwhile. */
export async function unlessGone(request: Promise<unknown>): Promise<void> {
  await request.catch(isMissing);
}

function isMissing(error: Error): boolean {
  if (/ was answered 404: /.test(error.message)) return true;
  throw error;
}

/** Deletes an object; finalizers may keep it for a while. */
export async function startRemoval(cluster: TestCluster, { kind, name, namespace }: Wanted): Promise<void> {
  await cluster.request('DELETE', pathOf(kind, name, namespace));
}

/** Asks for a reconcile now; the status repeats the value once it was done. */
export async function requestReconcile(
  cluster: TestCluster,
  { kind, name, namespace }: Wanted,
  value = String(Date.now()),
): Promise<void> {
  const metadata = { annotations: { [ANNOTATION.reconcileRequestedAt]: value } };
  await cluster.request('PATCH', pathOf(kind, name, namespace), { metadata });
}

/** The same, and it was done: the object is Ready after it. */
export async function reconcileNow(cluster: TestCluster, wanted: Wanted, value = String(Date.now())): Promise<void> {
  await requestReconcile(cluster, wanted, value);
  await waitFor(cluster, wanted, (one) => isReady(one) && one.status?.['lastHandledReconcileAt'] === value);
}

/** Makes namespaces, and waits for the objects that Kubernetes makes in every namespace. */
export async function makeNamespaces(cluster: TestCluster, names: readonly string[]): Promise<void> {
  await apply(cluster, ...names.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
  for (const name of names) {
    await until(`namespace ${name} is furnished`, () => cluster.read(pathOf('serviceaccount', 'default', name)));
    await until(`namespace ${name} is furnished`, () => cluster.read(pathOf('configmap', 'kube-root-ca.crt', name)));
  }
}
