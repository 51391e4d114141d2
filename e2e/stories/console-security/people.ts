/** People of a cluster with rights in namespaces of their own, and objects whose texts betray whose they are. */
import { REVISION_SPEC } from '../../../api/crd/testing/rule-cases.ts';
import { API_VERSION } from '../../../api/names.ts';
import { Browser } from '../../../console/server/testing/browser.ts';
import type { LoginIssuer } from '../../../console/server/testing/login-issuer.ts';
import type { TestCluster } from '../../cluster/cluster.ts';

/** In every text of the objects of the namespace `blue`, and in no address that a person asks for. */
export const MARK = 'azure';

const READY = {
  type: 'Ready',
  status: 'False',
  reason: 'WorkloadUnhealthy',
  message: `${MARK} does not become available`,
  lastTransitionTime: '2026-01-02T03:04:05Z',
};

/** Objects in `blue`, with the mark, and the same ones in `red`, without. */
export async function setScene(cluster: TestCluster): Promise<void> {
  const { kubectl } = cluster;
  for (const namespace of ['red', 'blue']) {
    await kubectl(['create', 'namespace', namespace]);
    const word = namespace === 'blue' ? MARK : 'plain';
    const objects = [
      { ...object('Subscription', namespace, 'gadget'), spec: { package: `${word}-gadget`, approval: 'Manual' } },
      { ...object('Revision', namespace, 'gadget-1'), spec: { ...REVISION_SPEC, package: `${word}-gadget`, bundle: `${word}.v1.0.0` } }, // prettier-ignore
    ];
    await apply(cluster, ...objects);
    const status = { observedGeneration: 1, conditions: [{ ...READY, message: READY.message.replace(MARK, word) }] };
    for (const target of ['subscriptions.slipway.dev/gadget', 'revisions.slipway.dev/gadget-1'])
      await kubectl(['-n', namespace, 'patch', target, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]); // prettier-ignore
    await apply(cluster, eventAbout(namespace, word));
  }
  await apply(cluster, {
    apiVersion: API_VERSION,
    kind: 'Catalog',
    metadata: { name: 'private' },
    spec: { source: { image: { ref: `registry.example/${MARK}/catalog:v1` } } },
  });
}

function object(kind: string, namespace: string, name: string) {
  return { apiVersion: API_VERSION, kind, metadata: { namespace, name } };
}

function eventAbout(namespace: string, word: string): object {
  const regarding = { apiVersion: API_VERSION, kind: 'Subscription', name: 'gadget', namespace };
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { namespace, name: `about-${namespace}` },
    eventTime: '2026-01-02T03:04:05.000000Z',
    type: 'Warning',
    reason: 'WorkloadUnhealthy',
    action: 'Upgrade',
    note: `${word} does not start`,
    reportingController: 'slipway',
    reportingInstance: 'manager-1',
    regarding,
  };
}

async function apply(cluster: TestCluster, ...items: readonly object[]): Promise<void> {
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}

/** Lets a user read everything of Slipway in a namespace; returns the function that takes it away again. */
export async function letRead(cluster: TestCluster, user: string, namespace: string): Promise<() => Promise<void>> {
  const name = `read-${user.split('@')[0] ?? ''}`;
  const metadata = { namespace, name };
  const rbac = 'rbac.authorization.k8s.io';
  const rules = [
    { apiGroups: ['slipway.dev'], resources: ['subscriptions', 'revisions'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['events', 'pods'], verbs: ['get', 'list', 'watch'] },
  ];
  await apply(
    cluster,
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name },
      subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
    },
  );
  return async () => void (await cluster.kubectl(['-n', namespace, 'delete', 'rolebinding', name]));
}

/** Logs a person in by the issuer, as a browser does. */
export async function logIn(address: string, issuer: LoginIssuer, email: string): Promise<Browser> {
  const browser = new Browser(address);
  const { headers } = await browser.send('/login/oidc');
  issuer.claims = { email, email_verified: true };
  const { pathname, search } = new URL(issuer.authorize(String(headers['location'])));
  const { status, text } = await browser.send(`${pathname}${search}`);
  if (status !== 303) throw new Error(`the login of ${email} failed with ${status}: ${text}`);
  return browser;
}

export function cookiesOf({ cookies }: Browser): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}
