/**
 * A Sigstore instance for tests, without network: authorities of certificates, timestamps and logs with keys of their
 * own, and the trusted root that names them.
 */
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  sign,
  type KeyObject,
  type KeyPairKeyObjectResult,
} from 'node:crypto';
import { initializeCA, initializeCTLog, initializeTLog, initializeTSA } from '@sigstore/mock';

const LOG = 'https://log.example';
const ISSUER_OID = '1.3.6.1.4.1.57264.1.8';
const SHA256_OID = '2.16.840.1.101.3.4.2.1';

/** A signer with a certificate, for one signature. */
export interface CertifiedKey {
  readonly privateKey: KeyObject;
  /** DER. */
  readonly certificate: Buffer;
}

export interface SigstoreInstance {
  /** `trusted_root.json`. */
  readonly root: string;
  /** A certificate for a new key; one that is `expired` ended an hour before the logs' time. */
  certify(who: {
    readonly subject: string;
    readonly issuer: string;
    readonly expired?: boolean;
  }): Promise<CertifiedKey>;
  /** Puts an entry into the log: its older form with a promise, the later one (`version: 2`) without. */
  log(entry: object, version: 1 | 2): Promise<object>;
  /** A timestamp of a signature, DER. */
  timestamp(signature: Buffer): Promise<Buffer>;
}

export async function createInstance(): Promise<SigstoreInstance> {
  const keys = { ca: keyPair(), ctlog: keyPair(), tlog: keyPair(), tsa: keyPair() };
  const ctlog = await initializeCTLog(keys.ctlog);
  // Authorities are valid from now on, and the verifier has no clock of its own.
  const [issued, signed] = [secondsAgo(0), secondsAgo(-60)];
  const ca = await initializeCA(keys.ca, ctlog, issued);
  const early = await initializeCA(keys.ca, ctlog, secondsAgo(3600));
  const tlog = await initializeTLog(LOG, keys.tlog, signed);
  const tsa = await initializeTSA(keys.tsa, signed);
  return {
    root: JSON.stringify({
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [logOf(keys.tlog)],
      ctlogs: [logOf(keys.ctlog)],
      certificateAuthorities: [authorityOf([ca.rootCertificate])],
      timestampAuthorities: [authorityOf([tsa.intCertificate, tsa.rootCertificate])],
    }),
    async certify({ subject, issuer, expired = false }) {
      const { publicKey, privateKey } = keyPair();
      const certificate = await (expired ? early : ca).issueCertificate({
        publicKey: der(publicKey) as Buffer<ArrayBuffer>,
        subjectAltName: subject,
        extensions: [{ oid: ISSUER_OID, value: issuer }],
      });
      return { privateKey, certificate: Buffer.from(certificate as Buffer) };
    },
    log: async (entry, version) => (version === 1 ? logFirst(tlog, entry) : logSecond(tlog, entry)),
    async timestamp(signature) {
      const artifactHash = createHash('sha256').update(signature).digest();
      const request = { artifactHash, hashAlgorithmOID: SHA256_OID, nonce: 1, policyOID: '1.2.3.4', certReq: true };
      return Buffer.from((await tsa.timestamp(request)) as Buffer);
    },
  };
}

type Log = Awaited<ReturnType<typeof initializeTLog>>;

/** As bundles and annotations have it: a promise of the log with the time, and a proof of inclusion. */
async function logFirst(log: Log, entry: object): Promise<object> {
  const [logged] = Object.values(await log.log(entry)) as unknown as [LoggedEntry];
  const { kind, apiVersion: version } = entry as { readonly kind: string; readonly apiVersion: string };
  const { inclusionProof: proof, signedEntryTimestamp } = logged.verification;
  return {
    logIndex: String(logged.logIndex),
    logId: { keyId: Buffer.from(logged.logID, 'hex').toString('base64') },
    kindVersion: { kind, version },
    integratedTime: String(logged.integratedTime),
    inclusionPromise: { signedEntryTimestamp },
    inclusionProof: {
      logIndex: String(proof.logIndex),
      rootHash: Buffer.from(proof.rootHash, 'hex').toString('base64'),
      treeSize: String(proof.treeSize),
      hashes: [],
      checkpoint: { envelope: proof.checkpoint },
    },
    canonicalizedBody: logged.body,
  };
}

interface LoggedEntry {
  readonly body: string;
  readonly integratedTime: number;
  readonly logID: string;
  readonly logIndex: number;
  readonly verification: {
    readonly signedEntryTimestamp: string;
    readonly inclusionProof: {
      readonly logIndex: number;
      readonly rootHash: string;
      readonly treeSize: number;
      readonly checkpoint: string;
    };
  };
}

/** A proof of inclusion only: the time comes from a timestamp authority. */
async function logSecond(log: Log, entry: object): Promise<object> {
  const {
    inclusionPromise: _,
    integratedTime: _t,
    ...logged
  } = (await logFirst(log, entry)) as Record<string, unknown>;
  return { ...logged, integratedTime: '0' };
}

/** A full second: timestamps of authorities have no fractions. */
function secondsAgo(seconds: number): Date {
  return new Date((Math.floor(Date.now() / 1000) - seconds) * 1000);
}

function keyPair(): KeyPairKeyObjectResult {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function der(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' });
}

const ALWAYS = { start: '2020-01-01T00:00:00Z' };

function logOf({ publicKey }: KeyPairKeyObjectResult): object {
  const rawBytes = der(publicKey);
  return {
    baseUrl: LOG,
    hashAlgorithm: 'SHA2_256',
    publicKey: { rawBytes: rawBytes.toString('base64'), keyDetails: 'PKIX_ECDSA_P256_SHA_256', validFor: ALWAYS },
    logId: { keyId: createHash('sha256').update(rawBytes).digest('base64') },
  };
}

function authorityOf(certificates: readonly ArrayBufferView[]): object {
  return {
    subject: { organization: 'example', commonName: 'example' },
    uri: 'https://authority.example',
    certChain: {
      certificates: certificates.map((one) => ({ rawBytes: Buffer.from(one as Buffer).toString('base64') })),
    },
    validFor: ALWAYS,
  };
}

/** Signs with ECDSA or RSA, over SHA-256 as cosign does for most keys. */
export function signBytes(bytes: Uint8Array, key: KeyObject, hash = 'sha256'): Buffer {
  return sign(hash, bytes, key);
}

/** PEM of the public half of a private key. */
export function publicPem(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ format: 'pem', type: 'spki' }).toString();
}
