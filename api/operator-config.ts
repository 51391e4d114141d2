/**
 * `spec.config` of a Subscription: changes to the Deployments of a bundle. At the top for all of them; under
 * `deployments` for one by its name, and there for one container.
 */
import * as z from 'zod';
import { intOrString, integer, list, listByKey, objectName, rules, stringMap, text } from './fields.ts';
import type { Immutable } from './kind.ts';
import { AffinityPart } from './pod-parts/affinity.ts';
import { EnvSourcePart } from './pod-parts/env-source.ts';
import { VolumePart } from './pod-parts/volume.ts';

const EnvVar = rules(
  z.object({
    name: text(253).describe('Name of the variable.'),
    value: z.string().max(32768).optional().describe('Its value.'),
    valueFrom: EnvSourcePart.optional().describe(
      'Where its value comes from, as in a Pod (`kubectl explain pod.spec.containers.env.valueFrom`).',
    ),
  }),
  { rule: '!(has(self.value) && has(self.valueFrom))', message: 'may not have both value and valueFrom' },
);

const SourceRef = z.object({
  name: text(253).describe('Name of the object, in the namespace of the Subscription.'),
  optional: z.boolean().optional().describe('Whether it may be missing.'),
});

const EnvFrom = rules(
  z.object({
    prefix: z.string().max(253).optional().describe('Put before each name.'),
    configMapRef: SourceRef.optional().describe('A ConfigMap.'),
    secretRef: SourceRef.optional().describe('A Secret.'),
  }),
  {
    rule: 'has(self.configMapRef) != has(self.secretRef)',
    message: 'must have exactly one of configMapRef and secretRef',
  },
);

const quantities = (): z.ZodType<Record<string, string | number>> =>
  z.record(z.string(), intOrString()).meta({ maxProperties: 32 });

const Resources = z.object({
  limits: quantities().optional().describe('The most that a container may use.'),
  requests: quantities().optional().describe('The amounts that are reserved for a container.'),
  claims: listByKey(
    z.object({
      name: text(253).describe('Name of the claim in the Pod.'),
      request: text(253).optional().describe('Name of one request of the claim.'),
    }),
    16,
    ['name'],
  )
    .optional()
    .describe('Resource claims of the Pod that a container uses.'),
});

const Toleration = z.object({
  key: z.string().max(316).optional().describe('Key of the taint; absent for all.'),
  operator: text(16).optional().describe('How key and value are compared, as in a Pod.'),
  value: z.string().max(63).optional().describe('Value of the taint.'),
  effect: z.string().max(32).optional().describe('Effect of the taint; absent for all.'),
  tolerationSeconds: integer(-2147483648, 2147483647).optional().describe('How long a NoExecute taint is tolerated.'),
});

const VolumeMount = z.object({
  name: text(63).describe('Name of the volume.'),
  mountPath: text(1024).describe('Where in the container.'),
  subPath: z.string().max(1024).optional().describe('Which path of the volume.'),
  subPathExpr: z.string().max(1024).optional().describe('The same, with variables.'),
  readOnly: z.boolean().optional().describe('Whether the container may not write.'),
  recursiveReadOnly: z.string().max(32).optional().describe('Whether that is true for mounts below too.'),
  mountPropagation: z.string().max(32).optional().describe('How mounts are shared with the host.'),
});

const forContainers = {
  env: listByKey(EnvVar, 200, ['name'])
    .optional()
    .describe('Environment variables to add; one of the same name is replaced.'),
  envFrom: list(EnvFrom, 32).optional().describe('ConfigMaps and Secrets to take variables from, added.'),
  resources: Resources.optional().describe('Requests and limits; replaces those of the bundle.'),
  volumeMounts: listByKey(VolumeMount, 64, ['mountPath'])
    .optional()
    .describe('Mounts to add; one of the same path is replaced.'),
  args: list(z.string().max(4096), 64).optional().describe('Arguments to append to those of the bundle.'),
};

const forPods = {
  nodeSelector: stringMap(64, 63).optional().describe('Labels that a node must have; replaces that of the bundle.'),
  tolerations: list(Toleration, 64).optional().describe('Tolerations to add.'),
  affinity: AffinityPart.optional().describe(
    'Affinity as in a Pod (`kubectl explain pod.spec.affinity`); replaces that of the bundle, part by part (node, Pod, anti-Pod).',
  ),
  volumes: listByKey(VolumePart, 64, ['name'])
    .optional()
    .describe('Volumes as in a Pod (`kubectl explain pod.spec.volumes`), to add; one of the same name is replaced.'),
  imagePullSecrets: listByKey(z.object({ name: objectName().describe('Name of the Secret.') }), 16, ['name'])
    .optional()
    .describe("Pull secrets of the operator's namespace to add to the Pods."),
  annotations: stringMap(64, 16384).optional().describe('Annotations to add to the Deployments and their Pods.'),
  labels: stringMap(64, 63)
    .optional()
    .describe('Labels to add to the Deployments and their Pods; those that a selector uses cannot be changed.'),
  replicas: integer(0, 100).optional().describe('How many Pods each Deployment has.'),
};

const ContainerConfig = z.object({
  name: text(63).describe('Name of the container; one that the Deployment does not have is an error.'),
  ...forContainers,
});

const DeploymentConfig = z.object({
  name: text(253).describe('Name of the Deployment in the bundle; one that the bundle does not have is an error.'),
  ...forContainers,
  ...forPods,
  containers: listByKey(ContainerConfig, 16, ['name'])
    .optional()
    .describe('Changes to one container; they win over those of the Deployment.'),
});

export const OperatorConfig = z.object({
  ...forContainers,
  ...forPods,
  deployments: listByKey(DeploymentConfig, 16, ['name'])
    .optional()
    .describe('Changes to one Deployment; they win over those for all.'),
});
export type OperatorConfig = Immutable<z.infer<typeof OperatorConfig>>;
export type DeploymentConfig = Immutable<z.infer<typeof DeploymentConfig>>;
export type ContainerConfig = Immutable<z.infer<typeof ContainerConfig>>;
