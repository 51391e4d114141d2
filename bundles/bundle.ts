/** A parsed bundle: data that every part of bundles/ and its callers share. */
import type { KubeObject } from '../api/object.ts';

/** A typed statement: `{ type: 'olm.maxOpenShiftVersion', value: '4.18' }`. */
export interface Property {
  readonly type: string;
  readonly value: unknown;
}

/** One object of a file. */
export interface Manifest {
  /** `manifests/operator.clusterserviceversion.yaml` */
  readonly file: string;
  /** Position of its document in the file, from 1. */
  readonly document: number;
  /** The object; apiVersion and name are empty if they are missing. */
  readonly object: KubeObject;
  /** The same exactly as published. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** The content of a registry+v1 bundle. Raw data is as published; typed views have the values that Go would read. */
export interface Bundle {
  /** From the annotations, not from the name of the CSV. */
  readonly package: string;
  /** Split at commas, not trimmed: a channel may be named " stable". */
  readonly channels: readonly string[];
  readonly defaultChannel?: string;
  /** `metadata/annotations.yaml`; the labels of the image have the same keys. */
  readonly annotations: ReadonlyMap<string, string>;
  readonly csv: Csv;
  /** CustomResourceDefinitions in the order of the files. */
  readonly crds: readonly Manifest[];
  /** Everything else but the CSV, in the order of the files. */
  readonly objects: readonly Manifest[];
  /** Of the CSV's annotation `olm.properties` first, then of `metadata/properties.yaml`. */
  readonly properties: readonly Property[];
  /** Of `metadata/dependencies.yaml`; empty if that file cannot be read, as the other tools have it. */
  readonly dependencies: readonly Property[];
  /** The file that they are in; it may have another name. */
  readonly dependenciesFile?: string;
  /** Why that file cannot be read. */
  readonly dependenciesError?: string;
}

/** The fields of a ClusterServiceVersion that matter, read as Go reads them. */
export interface Csv {
  readonly name: string;
  /** With the properties of `metadata/properties.yaml` merged into `olm.properties`. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: CsvSpec;
  readonly manifest: Manifest;
}

export interface CsvSpec {
  readonly install: {
    readonly strategy: string;
    readonly spec?: {
      readonly deployments?: readonly CsvDeployment[];
      readonly permissions?: readonly CsvPermission[];
      readonly clusterPermissions?: readonly CsvPermission[];
    };
  };
  readonly version?: string;
  readonly release?: string;
  readonly minKubeVersion?: string;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly installModes?: readonly { readonly type: string; readonly supported: boolean }[];
  readonly customresourcedefinitions: {
    readonly owned?: readonly CsvCrd[];
    readonly required?: readonly CsvCrd[];
  };
  readonly apiservicedefinitions: {
    readonly owned?: readonly CsvApiService[];
    readonly required?: readonly CsvApiService[];
  };
  readonly webhookdefinitions?: readonly CsvWebhook[];
  readonly nativeAPIs?: readonly { readonly group: string; readonly version: string; readonly kind: string }[];
  readonly relatedImages?: readonly { readonly name?: string; readonly image?: string }[];
  readonly displayName?: string;
  readonly description?: string;
  readonly maturity?: string;
  readonly cleanup: { readonly enabled?: boolean };
  readonly provider: CsvLink;
  readonly maintainers?: readonly { readonly name?: string; readonly email?: string }[];
  readonly links?: readonly CsvLink[];
  readonly icon?: readonly { readonly base64data?: string; readonly mediatype?: string }[];
  readonly keywords?: readonly string[];
}

export interface CsvLink {
  readonly name?: string;
  readonly url?: string;
}

export interface CsvDeployment {
  readonly name: string;
  readonly label?: Readonly<Record<string, string>>;
  readonly spec: DeploymentSpec;
}

/** The parts of a Deployment's spec that rendering reads or changes; the others pass through. */
export interface DeploymentSpec {
  readonly replicas?: number;
  readonly selector: CsvLabelSelector | null;
  readonly template: PodTemplate;
  readonly [field: string]: unknown;
}

export interface CsvLabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly key: string }[];
}

export interface PodTemplate {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly spec: PodSpec;
}

export interface PodSpec {
  readonly containers: readonly Container[] | null;
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Named[];
  readonly tolerations?: readonly unknown[];
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface Container extends Named {
  readonly image?: string;
  readonly args?: readonly string[];
  readonly env?: readonly Named[];
  readonly envFrom?: readonly unknown[];
  readonly resources: {
    readonly limits?: Readonly<Record<string, string>>;
    readonly requests?: Readonly<Record<string, string>>;
  };
  readonly volumeMounts?: readonly VolumeMount[];
}

export interface Named {
  readonly name: string;
  readonly [field: string]: unknown;
}

export interface VolumeMount extends Named {
  readonly mountPath: string;
}

/** Keys in the order of Go's struct: the names of roles are hashes of this JSON. */
export interface CsvPermission {
  readonly serviceAccountName: string;
  readonly rules: readonly PolicyRule[] | null;
}

export interface PolicyRule {
  readonly verbs: readonly string[] | null;
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface CsvCrd {
  readonly name: string;
  readonly version: string;
  readonly kind: string;
  readonly displayName?: string;
  readonly description?: string;
}

export interface CsvApiService {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly deploymentName?: string;
  readonly containerPort?: number;
}

export const WEBHOOK_TYPES = ['ValidatingAdmissionWebhook', 'MutatingAdmissionWebhook', 'ConversionWebhook'] as const;

export interface CsvWebhook {
  readonly generateName: string;
  /** One of WEBHOOK_TYPES, or something that the CSV's author invented. */
  readonly type: string;
  readonly deploymentName?: string;
  readonly containerPort?: number;
  readonly targetPort?: number | string;
  readonly rules?: readonly WebhookRule[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly objectSelector?: CsvLabelSelector;
  readonly sideEffects: string | null;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[] | null;
  readonly reinvocationPolicy?: string;
  readonly webhookPath?: string;
  readonly conversionCRDs?: readonly string[];
}

export interface WebhookRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}
