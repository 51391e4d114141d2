/** What a registry holds as signatures of an image, before anything of it is believed. */
import type { ReasonedError } from '../api/errors.ts';

/** A Sigstore bundle, from a manifest that refers to the image. */
export interface BundleSignature {
  readonly form: 'Bundle';
  /** Digest of the manifest, or the tag, that holds it; for messages. */
  readonly place: string;
  /** Digest that the manifest names as its subject; absent if it names none. */
  readonly subject: string | undefined;
  readonly json: Uint8Array;
}

/** A layer of the older form, in an image under a tag made of the digest. */
export interface SimpleSignature {
  readonly form: 'SimpleSigning';
  readonly place: string;
  /** The signed text. */
  readonly payload: Uint8Array;
  /** Annotations of the layer, with the signature and its proofs. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** An attestation of the older form: a layer with a signed statement, in an image under a tag made of the digest. */
export interface EnvelopeSignature {
  readonly form: 'Envelope';
  readonly place: string;
  /** The envelope in JSON form, with the statement and its signature. */
  readonly envelope: Uint8Array;
  /** Annotations of the layer, with the proofs. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** A manifest that claims to hold a signature and holds none. */
export interface BrokenSignature {
  readonly form: 'Broken';
  readonly place: string;
  /** The fault, as a clause: `its layer is too large`. */
  readonly message: string;
  /** Set if the registry failed, so that a signature may be there. */
  readonly failure?: ReasonedError;
}

export type ImageSignature = BundleSignature | SimpleSignature | EnvelopeSignature | BrokenSignature;
