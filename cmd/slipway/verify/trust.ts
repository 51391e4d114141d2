/** Which signers `slipway verify` trusts: keys and identities of the flags, or the policies of a file. */
import { CATALOG } from '../../../api/catalog.ts';
import { parseObject } from '../../../api/kind.ts';
import { API_VERSION } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/object.ts';
import { REGISTRY_POLICY } from '../../../api/registry-policy.ts';
import { isRecord } from '../../../api/untyped.ts';
import { createRegistryPolicies, type RegistryPolicies } from '../../../controllers/registry-policies.ts';
import type { Environment } from '../environment.ts';
import { readDocuments, readOneFile } from '../input/files.ts';
import { invalidInput } from '../../../api/invalid-input.ts';

export interface TrustFlags {
  readonly key?: readonly string[];
  readonly transparencyLog: 'Require' | 'Ignore';
  readonly issuer?: string;
  readonly subject?: string;
  readonly attestation?: readonly string[];
  readonly trustedRoot?: string;
  readonly policy?: string;
}

/** Stands for the file of `--trusted-root`. */
export const ROOT_NAME = 'trusted-root';

/**
 * The policies over an image.
 *
 * @throws ReasonedError InputInvalid if no signer is named or no policy demands a signature of the image, InvalidSpec for
 * a manifest with a fault, RegistryPolicyInvalid for a policy that cannot be used
 */
export async function trustOf(environment: Environment, image: string, flags: TrustFlags): Promise<RegistryPolicies> {
  const policies = await readTrust(environment, flags);
  if (policies.over(image).verify !== undefined) return policies;
  throw invalidInput(
    `no policy of ${flags.policy ?? 'the flags'} demands a signature of ${image}`,
    'Compare its prefix with the name of the image',
  );
}

/**
 * The policies of a file, or the signers of the flags, which are trusted for every image. @throws ReasonedError
 * InputInvalid if no signer is named, InvalidSpec for a manifest with a fault
 */
export async function readTrust(environment: Environment, flags: TrustFlags): Promise<RegistryPolicies> {
  return flags.policy === undefined
    ? policiesBy(await fromFlags(environment, flags))
    : policiesBy(await fromFile(environment, flags.policy, flags));
}

/** The RegistryPolicies among the documents of a file; undefined if it has none. @throws ReasonedError as readTrust */
export async function trustInFile(environment: Environment, file: string): Promise<RegistryPolicies | undefined> {
  const policies = (await readDocuments(environment, file)).filter(isOurs).filter(isPolicy);
  return policies.length === 0 ? undefined : policiesBy(() => policies);
}

/** @param manifestsOver Those that count for an image. */
function policiesBy(manifestsOver: ManifestsOver): RegistryPolicies {
  return {
    over: (image) => {
      const list = manifestsOver(image).map((manifest) => parseObject(REGISTRY_POLICY, manifest));
      return createRegistryPolicies(() => list).over(image);
    },
    pullSecrets: () => [],
    demandSignatures: () => true,
  };
}

type ManifestsOver = (image: string) => readonly KubeObject[];

async function fromFlags(environment: Environment, flags: TrustFlags): Promise<ManifestsOver> {
  const { key: files = [], transparencyLog, issuer, subject, attestation = [], trustedRoot } = flags;
  if ((issuer === undefined) !== (subject === undefined))
    throw invalidInput('an identity is an issuer and a subject', 'Name both --issuer and --subject');
  if (files.length === 0 && issuer === undefined)
    throw invalidInput('no signer is named', 'Name --key, or --issuer and --subject, or --policy');
  const keys = await Promise.all(
    files.map(async (name) => ({
      name,
      transparencyLog,
      pem: Buffer.from(await readOneFile(environment, name))
        .toString('utf8')
        .trim(),
    })),
  );
  const verify = {
    ...(keys.length > 0 && { keys }),
    ...(issuer !== undefined && {
      identities: [{ issuer, subject, match: subject?.includes('*') ? 'Glob' : 'Exact' }],
    }),
    ...(attestation.length > 0 && { attestations: attestation.map((predicateType) => ({ predicateType })) }),
    ...(trustedRoot !== undefined && { trustedRoot: { name: ROOT_NAME } }),
  };
  return (image) => [policyOver(image, verify)];
}

async function fromFile(environment: Environment, policy: string, flags: TrustFlags): Promise<ManifestsOver> {
  const { key, issuer, subject, attestation } = flags;
  if (key !== undefined || issuer !== undefined || subject !== undefined || attestation !== undefined)
    throw invalidInput(
      '--policy is in place of keys, identities and attestations',
      'Leave out --key, --issuer, --subject and --attestation',
    );
  const documents = (await readDocuments(environment, policy)).filter(isOurs);
  const catalogs = documents.filter(({ kind }) => kind === CATALOG.kind).map((one) => parseObject(CATALOG, one));
  const demands = catalogs.flatMap(({ spec }) => (spec.verify === undefined ? [] : [withoutContent(spec.verify)]));
  const policies = documents.filter(isPolicy);
  if (policies.length + demands.length === 0)
    throw invalidInput(`${policy} has no RegistryPolicy of ${API_VERSION}, and no Catalog with spec.verify`);
  return (image) => [...policies, ...demands.map((verify) => policyOver(image, verify))];
}

function isPolicy({ kind }: KubeObject): boolean {
  return kind === REGISTRY_POLICY.kind;
}

function withoutContent(verify: object): object {
  return Object.fromEntries(Object.entries(verify).filter(([field]) => field !== 'content'));
}

function policyOver(prefix: string, verify: object): KubeObject {
  return { apiVersion: API_VERSION, kind: REGISTRY_POLICY.kind, metadata: { name: 'flags' }, spec: { prefix, verify } };
}

function isOurs(document: unknown): document is KubeObject {
  return isRecord(document) && document['apiVersion'] === API_VERSION && isRecord(document['metadata']);
}
