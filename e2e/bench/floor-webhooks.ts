/**
 * The least that a manager does for the webhooks of an operator, beside applying its objects: it issues a certificate with an
 * authority of its own for each Deployment that serves webhooks, and reads a custom resource of each CRD that such a webhook
 * converts, once the Deployment works. By the library that the product uses, without any code of the product.
 */
import { identityOf } from '../../apply/identity.ts';
import { requiredIn } from '../../bundles/render/required-certificates.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import { fieldsOf } from '../../api/untyped.ts';
import { createAuthority } from '../cluster/certificates.ts';
import { kindsDefinedBy } from './custom-resources.ts';
import type { FloorClient } from './floor-client.ts';

/** The webhooks of one run of the floor. */
export class FloorWebhooks {
  readonly #client: Pick<FloorClient, 'hasAny'>;
  readonly #secrets = new Map<string, KubeObject>();

  constructor(client: Pick<FloorClient, 'hasAny'>) {
    this.#client = client;
  }

  /** All that were issued so far: they are applied, kept and removed with the objects of the operator. */
  get secrets(): readonly KubeObject[] {
    return [...this.#secrets.values()];
  }

  /** Issues a certificate for each Deployment among the objects that serves webhooks and has none yet. */
  async issue(objects: readonly KubeObject[]): Promise<void> {
    const missing = wantedIn(objects).filter(({ key }) => !this.#secrets.has(key));
    await Promise.all(
      missing.map(async ({ key, secret, dnsNames }) => {
        this.#secrets.set(key, { ...secret, data: await issue(dnsNames) });
      }),
    );
  }

  /** Reads one custom resource of each kind that a webhook converts: the health of a Deployment does not show whether it does. */
  async prove(objects: readonly KubeObject[]): Promise<void> {
    const converted = kindsDefinedBy(objects.filter((object) => strategyOf(object) === 'Webhook'));
    await Promise.all(converted.map((kind) => this.#client.hasAny(kind)));
  }
}

function strategyOf(object: KubeObject): unknown {
  return fieldsOf(fieldsOf(object['spec'])['conversion'])['strategy'];
}

interface WantedSecret {
  readonly key: string;
  readonly secret: KubeObject;
  readonly dnsNames: readonly string[];
}

function wantedIn(objects: readonly KubeObject[]): readonly WantedSecret[] {
  const deployments = objects.filter(({ kind }) => kind === 'Deployment');
  const namespaces = new Map(deployments.map(({ metadata: { name, namespace } }) => [name, namespace]));
  return requiredIn(objects).map(({ deployment, secretName, dnsNames }) => {
    const metadata = { name: secretName, namespace: namespaces.get(deployment) ?? '' };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata };
    return { key: identityOf(refOf(secret)), secret, dnsNames };
  });
}

async function issue(dnsNames: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const [commonName = ''] = dnsNames;
  const authority = await createAuthority('floor');
  const { publicPem, privatePem } = await authority.issue({ commonName, dnsNames });
  const data = { 'tls.crt': publicPem, 'tls.key': privatePem, 'ca.crt': authority.certificatePem };
  return Object.fromEntries(Object.entries(data).map(([name, text]) => [name, Buffer.from(text).toString('base64')]));
}
