/** The API server's errors when it calls a webhook, in the words of v1.34, and their meaning. */
import { describe, expect, test } from 'vitest';
import { sample } from '../../../apply/testing/sample-objects.ts';
import {
  probeConfiguration,
  questionObject,
  readAnswer,
  rehearsalName,
  rehearsalService,
  type Answer,
  type ProbeQuestion,
} from './probe-objects.ts';

const question: ProbeQuestion = {
  service: 'widget-service',
  webhook: {
    caller: { apiVersion: 'v1', kind: 'X', name: 'x' },
    service: { namespace: 'ops', name: 'widget-service' },
    port: 443,
    path: '/validate',
    caBundle: 'Y2E=',
  },
};

const said = (what: string, name = 'webhook-0.probe.slipway.dev'): string =>
  `create ConfigMap ops/slipway-probe-u1: Internal error occurred: failed calling webhook "${name}": failed to call webhook: ${what}`;
const posted = (why: string): string => said(`Post "https://widget-service.ops.svc:443/validate?timeout=5s": ${why}`);

describe('the answer to a question', () => {
  test.each<{ refusal: string; because: string }>([
    {
      refusal: said(
        'Post "https://slipway-absent.ops.svc:443/?timeout=5s": service "slipway-absent" not found',
        'end.probe.slipway.dev',
      ),
      because: 'the webhook accepted the object, and the next was called',
    },
    {
      refusal: 'create ConfigMap ops/x: admission webhook "webhook-0.probe.slipway.dev" denied the request: no widget',
      because: 'the webhook rejected the object',
    },
    {
      refusal: said('the server rejected our request for an unknown reason'),
      because: 'the webhook cannot read the request (400)',
    },
    {
      refusal: said('an error on the server ("boom") has prevented the request from succeeding'),
      because: 'the webhook failed (500)',
    },
    {
      refusal: said('no kind "ConversionReview" is registered for version "apiextensions.k8s.io/v1" in scheme "x"'),
      because: 'the webhook converts, and got another kind of request',
    },
    {
      refusal:
        'create ConfigMap ops/x: Internal error occurred: add operation does not apply: doc is missing path: "/spec/x": missing value',
      because: 'the webhook patched a field that our object does not have',
    },
    {
      refusal: posted(
        'tls: failed to verify certificate: x509: certificate is valid for widget-service.ops.svc, not widget-service-rehearsal-0123abcd.ops.svc',
      ),
      because: 'the webhook presents a certificate for its own name',
    },
    {
      refusal: posted('remote error: tls: certificate required'),
      because: 'the webhook requires a certificate of the API server',
    },
    { refusal: posted('stream error: stream ID 1; INTERNAL_ERROR'), because: 'the webhook broke off' },
  ])('a question is answered if $because', ({ refusal }) => {
    expect(readAnswer(0, question, refusal)).toEqual({ kind: 'answered' });
  });

  test.each<{ refusal: string; because: string }>([
    {
      refusal: posted('dial tcp 10.0.0.1:443: connect: connection refused'),
      because: 'dial tcp 10.0.0.1:443: connect: connection refused',
    },
    { refusal: posted('context deadline exceeded'), because: 'context deadline exceeded' },
    { refusal: posted('EOF'), because: 'EOF' },
    {
      refusal: posted('no endpoints available for service "widget-service"'),
      because: 'no endpoints available for service "widget-service"',
    },
    {
      refusal: posted('tls: failed to verify certificate: x509: certificate signed by unknown authority'),
      because: 'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    },
    {
      refusal: posted(
        'tls: failed to verify certificate: x509: certificate is valid for other.ops.svc, not widget-service.ops.svc',
      ),
      because:
        'tls: failed to verify certificate: x509: certificate is valid for other.ops.svc, not widget-service.ops.svc',
    },
    {
      refusal: said('the server could not find the requested resource'),
      because: 'nothing is served at its path (404)',
    },
  ])('a question is not answered if the API server says: $because', ({ refusal, because }) => {
    expect(readAnswer(0, question, refusal)).toEqual<Answer>({ kind: 'silent', because });
  });

  test.each<{ refusal: string | undefined; because: string }>([
    { refusal: undefined, because: 'the object was accepted: the configuration is not known yet' },
    {
      refusal: 'create ConfigMap ops/x: admission webhook "policy.example.com" denied the request: no ConfigMaps',
      because: 'another webhook of the cluster was called first',
    },
    {
      refusal: 'create ConfigMap ops/x: etcdserver: request timed out',
      because: 'the API server has trouble of its own',
    },
    { refusal: posted('EOF').replace('webhook-0', 'webhook-1'), because: 'the error is about another webhook' },
  ])('a webhook was not called yet if $because', ({ refusal }) => {
    expect(readAnswer(0, question, refusal)).toEqual({ kind: 'notAsked' });
  });

  test('a question is answered if no authority is filled in yet, and a certificate is presented', () => {
    const untold = { ...question, webhook: { ...question.webhook, caBundle: '' } };
    const refusal = posted('tls: failed to verify certificate: x509: certificate signed by unknown authority');
    expect(readAnswer(0, untold, refusal)).toEqual({ kind: 'answered' });
    expect(readAnswer(0, question, refusal).kind).toBe('silent');
  });
});

interface Entry {
  readonly name: string;
  readonly objectSelector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly namespaceSelector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly rules: readonly { readonly resources: readonly string[] }[];
}

describe('the configuration of a probe', () => {
  const entries = probeConfiguration('u1', [question, question])['webhooks'] as readonly Entry[];

  test('the configuration of a probe matches only our own object in this namespace', () => {
    for (const { namespaceSelector, objectSelector, rules } of entries) {
      expect(namespaceSelector.matchLabels).toEqual({ 'kubernetes.io/metadata.name': 'ops' });
      expect(JSON.stringify(objectSelector)).toContain('slipway.dev/probe');
      expect(rules.flatMap(({ resources }) => resources)).toEqual(['configmaps']);
    }
  });

  test('one object calls one webhook, and then the last one, whose Service does not exist', () => {
    const labels = [0, 1].map((index) => questionObject('u1', question, index).metadata.labels);
    const asks = entries.slice(0, 2).map(({ objectSelector }) => objectSelector.matchLabels);
    for (const [index, wanted] of asks.entries()) {
      const met = labels.map((of) => Object.entries(wanted).every(([key, value]) => of?.[key] === value));
      expect(met).toEqual([index === 0, index === 1]);
    }
    expect(entries.at(-1)?.name).toBe('end.probe.slipway.dev');
  });

  test('the configurations of two Revisions match different objects', () => {
    expect(questionObject('u1', question, 0).metadata.labels).not.toEqual(
      questionObject('u2', question, 0).metadata.labels,
    );
  });
});

describe('the Service of a rehearsal', () => {
  const service = sample('v1', 'Service', 'widget-service', {
    namespace: 'ops',
    spec: { selector: { app: 'widget', 'pod-template-hash': 'old' }, ports: [{ port: 443, targetPort: 9443 }] },
  });

  test('the Service of a rehearsal selects the new Pods, by the same ports', () => {
    expect(rehearsalService(service, 'new')).toMatchObject({
      metadata: { namespace: 'ops', name: rehearsalName('widget-service') },
      spec: { selector: { app: 'widget', 'pod-template-hash': 'new' }, ports: [{ port: 443, targetPort: 9443 }] },
    });
  });

  test('the Service of a rehearsal has a name of its own, however long that of the other is', () => {
    const names = ['a'.repeat(63), `${'a'.repeat(62)}b`, 'a'].map(rehearsalName);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^a[a-z0-9-]{0,62}$/);
  });
});
