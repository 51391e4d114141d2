/** A ClusterExtension that can be handed over, to be changed by tests. */
import type { KubeObject } from '../../../api/object.ts';
import { EXTENSION } from '../kinds.ts';
import type { ExtensionSurvey } from '../verdict.ts';

export interface Changes {
  readonly metadata?: object;
  readonly spec?: object;
  /** Of `spec.source.catalog`. */
  readonly catalog?: object;
  /** Of the condition Progressing. */
  readonly progressing?: object;
  readonly status?: object;
}

/** Version 1.0.0 of the package `gadget-operator` is installed in the namespace `ops`. */
export function extensionOf({
  metadata = {},
  spec = {},
  catalog = {},
  progressing = {},
  status = {},
}: Changes = {}): KubeObject {
  return {
    ...EXTENSION,
    metadata: { name: 'gadget', uid: 'u', resourceVersion: '7', generation: 3, ...metadata },
    spec: {
      namespace: 'ops',
      source: { sourceType: 'Catalog', catalog: { packageName: 'gadget-operator', ...catalog } },
      ...spec,
    },
    status: {
      conditions: [
        {
          type: 'Progressing',
          status: 'True',
          reason: 'Succeeded',
          observedGeneration: 3,
          message: 'done',
          ...progressing,
        },
        { type: 'Installed', status: 'True', reason: 'Succeeded', observedGeneration: 3, message: 'installed' },
      ],
      install: { bundle: { name: 'gadget-operator.v1.0.0', version: '1.0.0' } },
      ...status,
    },
  };
}

const OWNED: KubeObject = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'gadget', namespace: 'ops' } };

export function surveyOf(changes: Partial<ExtensionSurvey> = {}): ExtensionSurvey {
  return { name: 'gadget', extension: extensionOf(), objects: [OWNED], objectSets: [], ...changes };
}
