/**
 * The marks by which OLM v1 and its Helm take an object that exists for one of a ClusterExtension, for the way back. The
 * owner reference is left to OLM: it adds it when it takes the object over, and until then nothing is deleted with the
 * ClusterExtension. Pure.
 */
import { ANNOTATION, GROUP, LABEL } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import { EXTENSION, HELM, OWNER_LABEL } from './kinds.ts';

/** The names in the marks of both sides. */
export interface MarkNames {
  /** Name of the ClusterExtension. */
  readonly extension: string;
  /** `spec.namespace` of the ClusterExtension, which is that of the release of Helm. */
  readonly namespace: string;
  /** `<namespace>/<name>` of Slipway's Subscription. */
  readonly adoptedBy: string;
}

/**
 * Whether the object still is one of Slipway's Subscription, and of the bundle. One that another program made again under the
 * name is not, nor is a copy of a pull secret, which stays as after any deletion that leaves the objects.
 */
export function isOfSlipway({ metadata: { annotations = {} } }: KubeObject, { adoptedBy }: MarkNames): boolean {
  if (ANNOTATION.copiedFrom in annotations) return false;
  return (annotations[ANNOTATION.owner] ?? annotations[ANNOTATION.adoptBy]) === adoptedBy;
}

/** The merge patch that takes the marks of Slipway off and gives the object those of OLM; bound to the version that was read. */
export function handBack({ metadata }: KubeObject, names: MarkNames): Readonly<Record<string, unknown>> {
  const { resourceVersion, labels = {}, annotations = {} } = metadata;
  const [releaseName, releaseNamespace] = HELM.annotations;
  return {
    metadata: {
      resourceVersion,
      labels: {
        ...withoutSlipways(labels),
        [LABEL.managedBy]: 'Helm',
        [OWNER_LABEL.kind]: EXTENSION.kind,
        [OWNER_LABEL.name]: names.extension,
      },
      annotations: {
        ...withoutSlipways(annotations),
        [releaseName]: names.extension,
        [releaseNamespace]: names.namespace,
      },
    },
  };
}

function withoutSlipways(entries: Readonly<Record<string, string>>): Readonly<Record<string, null>> {
  const ours = Object.keys(entries).filter((key) => key.startsWith(`${GROUP}/`));
  return Object.fromEntries(ours.map((key) => [key, null]));
}
