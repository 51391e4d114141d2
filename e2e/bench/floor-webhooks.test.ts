import { X509Certificate, createPrivateKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { groupKind, type DefinedKind, type KubeObject } from '../../api/object.ts';
import { FloorWebhooks } from './floor-webhooks.ts';
import { objectsOf, smallOperator } from './operators.ts';

const operator = smallOperator();
const [before, after] = [objectsOf(operator, operator.from), objectsOf(operator, operator.to)];

/** Remembers the kinds that were read. */
function scene() {
  const read: string[] = [];
  const hasAny = async (kind: DefinedKind): Promise<boolean> => read.push(groupKind(kind)) < 0;
  return { read, webhooks: new FloorWebhooks({ hasAny }) };
}

test('the floor issues a certificate for the Service of a Deployment that serves webhooks, with its key and authority', async () => {
  const { webhooks } = scene();
  await webhooks.issue(after);
  const [secret] = webhooks.secrets;
  const certificate = new X509Certificate(textIn(secret, 'tls.crt'));
  expect(secret?.metadata).toEqual({ namespace: 'beacon-operator', name: 'beacon-operator-service-cert' });
  expect(certificate.checkHost('beacon-operator-service.beacon-operator.svc')).toBeDefined();
  expect(certificate.checkPrivateKey(createPrivateKey(textIn(secret, 'tls.key')))).toBe(true);
  expect(certificate.verify(new X509Certificate(textIn(secret, 'ca.crt')).publicKey)).toBe(true);
});

test('a certificate of the floor is kept in the next version', async () => {
  const { webhooks } = scene();
  await webhooks.issue(after);
  const { secrets } = webhooks;
  await webhooks.issue(after);
  expect(webhooks.secrets).toEqual(secrets);
});

test('the floor issues no certificate for an operator without webhooks', async () => {
  const { webhooks } = scene();
  await webhooks.issue(before);
  expect(webhooks.secrets).toEqual([]);
});

test('the floor reads the kinds that a webhook converts, and no others', async () => {
  const { webhooks, read } = scene();
  await webhooks.prove(before);
  expect(read).toEqual([]);
  await webhooks.prove(after);
  expect(read).toEqual(['Beacon.example.slipway.dev']);
});

function textIn(secret: KubeObject | undefined, name: string): string {
  const { [name]: encoded = '' } = (secret?.['data'] ?? {}) as Readonly<Record<string, string>>;
  return Buffer.from(encoded, 'base64').toString();
}
