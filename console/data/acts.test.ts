/** The line, the requests and the sentence of each act are about the same write. */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parseYaml } from '../../bundles/yaml.ts';
import { Action } from './actions.ts';
import { describeDone } from './done.ts';
import { kubectlLine } from './kubectl.ts';
import { CONSOLE_FIELD_MANAGER, requestsOf, type ActRequest } from './requests.ts';
import { ACTIONS } from './testing/actions.ts';

const NOW = new Date('2026-01-02T03:04:05.678Z');

/** What kubectl is called with: its arguments and its input. */
interface Call {
  readonly words: readonly string[];
  readonly input: string;
}

/** Runs a line in a shell whose kubectl prints how it is called. */
function callsOf(line: string): readonly Call[] {
  const script = String.raw`kubectl() {
  for word in "$@"; do printf '%s\001' "$word"; done
  case "$*" in *'-f -'*) printf '\002'; cat;; esac
  printf '\003'
}
date() { echo 2026-01-02T03:04:05Z; }
`;
  const output = execFileSync('sh', ['-eu'], { input: `${script}${line}\n`, encoding: 'utf8' });
  return output
    .split('\u0003')
    .slice(0, -1)
    .map((call) => {
      const [words = '', input = ''] = call.split('\u0002');
      return { words: words.split('\u0001').slice(0, -1), input };
    });
}

/** The same as a request of the API server, as kubectl's documentation describes each subcommand. */
function requestBy({ words, input }: Call): Partial<Omit<ActRequest, 'body'>> & { readonly body?: unknown } {
  const [namespace] = words[0] === '-n' ? words.slice(1) : [];
  const [verb = '', resource = '', name = '', ...rest] = words[0] === '-n' ? words.slice(2) : words;
  const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const collection = `/apis/slipway.dev/v1alpha1${within}/${resource.replace('.slipway.dev', '')}`;
  switch (verb) {
    case 'patch':
      return {
        method: 'PATCH',
        path: `${collection}/${name}`,
        headers: { 'content-type': `application/${rest[rest.indexOf('--type') + 1]}-patch+json` },
        body: JSON.parse(rest[rest.indexOf('-p') + 1] ?? '') as unknown,
      };
    case 'annotate': {
      const [key = '', value = ''] = (rest.at(-1) ?? '').split('=');
      const body = { metadata: { annotations: { [key]: value } } };
      return {
        method: 'PATCH',
        path: `${collection}/${name}`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body,
      };
    }
    case 'delete':
      return { method: 'DELETE', path: `${collection}/${name}` };
    default: {
      const body = parseYaml(input)[0]?.value as { metadata: { namespace: string } };
      return {
        method: 'POST',
        path: `/apis/slipway.dev/v1alpha1/namespaces/${body.metadata.namespace}/subscriptions`,
        body,
      };
    }
  }
}

describe.each(ACTIONS)('$action.kind: $because', ({ action }) => {
  test('the act is one that the server accepts', () => {
    expect(Action.parse(action)).toEqual(action);
  });

  test('an act with a further field is none', () => {
    expect(Action.safeParse({ ...action, path: '/api/v1/secrets' }).success).toBe(false);
  });

  test('the shell calls kubectl for the writes of the requests, in their order', () => {
    const requests = requestsOf(action, NOW);
    expect(callsOf(kubectlLine(action)).map(requestBy)).toEqual(
      requests.map(({ method, path, headers, body }) =>
        method === 'DELETE'
          ? { method, path }
          : { method, path, ...(method === 'PATCH' && { headers }), body: JSON.parse(body) as unknown },
      ),
    );
  });

  test('each request is for one object of Slipway, and names the console as its writer', () => {
    for (const { path, query, method } of requestsOf(action, NOW)) {
      expect(path).toMatch(/^\/apis\/slipway\.dev\/v1alpha1\/(namespaces\/ops\/(subscriptions|revisions)|catalogs)/);
      if (method !== 'DELETE')
        expect(query).toEqual({ fieldManager: CONSOLE_FIELD_MANAGER, fieldValidation: 'Strict' });
    }
  });

  test('the sentence names the object', () => {
    expect(describeDone(action)).toMatch(/ops\/gadget|Catalog team/);
  });
});

test('an approval is refused by the API server itself if the plan has changed', () => {
  const [request] = requestsOf(ACTIONS[0]!.action, NOW);
  expect(JSON.parse(request!.body)).toEqual([
    { op: 'test', path: '/metadata/uid', value: 'r2' },
    { op: 'test', path: '/status/plan/hash', value: `sha256:${'c'.repeat(64)}` },
    { op: 'add', path: '/spec/approved', value: true },
  ]);
  expect(request!.refusal).toMatchObject({ status: 422, problem: { reason: 'ApprovalVoid' } });
});

test('an uninstall deletes the very Subscription whose effect was shown, after its policies are set', () => {
  const [policies, deletion] = requestsOf(ACTIONS.at(-1)!.action, NOW);
  expect(JSON.parse(policies!.body)).toEqual({
    metadata: { uid: 'u1' },
    spec: { uninstall: { objects: 'Delete', customResources: 'Delete' } },
  });
  expect(JSON.parse(deletion!.body)).toMatchObject({ preconditions: { uid: 'u1' } });
});

test.each([
  { because: 'a name leads out of its collection', action: { kind: 'suspend', namespace: 'ops', name: '../x' } },
  { because: 'a namespace leads elsewhere', action: { kind: 'suspend', namespace: 'ops/pods', name: 'x' } },
  { because: 'the kind is unknown', action: { kind: 'exec', namespace: 'ops', name: 'x' } },
  {
    because: 'an approval names no plan',
    action: { kind: 'approve', namespace: 'ops', revision: 'gadget-2', uid: 'r2' },
  },
  {
    because: 'an uninstall names no policy',
    action: { kind: 'uninstall', namespace: 'ops', name: 'gadget', uid: 'u1', objects: 'Delete' },
  },
  { because: 'it is no object', action: 'approve' },
  { because: 'it is a list', action: [] },
])('is no act: $because', ({ action }) => {
  expect(Action.safeParse(action).success).toBe(false);
});
