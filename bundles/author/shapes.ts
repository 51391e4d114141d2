/** Checks the fields of an author's objects that a bundle is made from, so that every later step can rely on them. */
import * as z from 'zod';
import { ReasonedError } from '../../api/errors.ts';
import { describeRef, groupKind, refOf, type KubeObject } from '../../api/object.ts';
import { decode, DecodeError } from '../typed/decode.ts';
import type { SourceObject } from './source.ts';

const map = z.record(z.string(), z.string()).nullish();
const metadata = z.looseObject({ name: z.string(), namespace: z.string().nullish(), labels: map, annotations: map });
const subjects = z.array(z.looseObject({ kind: z.string(), name: z.string() })).nullish();
const roleRef = z.looseObject({ kind: z.string(), name: z.string() });
const rules = z.array(z.looseObject({ verbs: z.array(z.string()) })).nullish();
const clientConfig = z.looseObject({ service: z.looseObject({ name: z.string() }).nullish() });
const webhook = z.looseObject({ name: z.string(), clientConfig: clientConfig.nullish() });
const container = z.looseObject({ name: z.string() });
const pod = z.looseObject({
  metadata: z.looseObject({ labels: map, annotations: map }),
  spec: z.looseObject({ containers: z.array(container).min(1) }),
});
const ports = z.array(z.looseObject({ port: z.int() })).nullish();
const version = z.looseObject({ name: z.string() });

/** By group and kind. */
const SHAPES: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['Deployment.apps', z.looseObject({ spec: z.looseObject({ template: pod }) })],
  ['ClusterRole.rbac.authorization.k8s.io', z.looseObject({ rules })],
  ['Role.rbac.authorization.k8s.io', z.looseObject({ rules })],
  ['ClusterRoleBinding.rbac.authorization.k8s.io', z.looseObject({ subjects, roleRef })],
  ['RoleBinding.rbac.authorization.k8s.io', z.looseObject({ subjects, roleRef })],
  ['Service', z.looseObject({ spec: z.looseObject({ selector: map, ports }) })],
  [
    'MutatingWebhookConfiguration.admissionregistration.k8s.io',
    z.looseObject({ webhooks: z.array(webhook).nullish() }),
  ],
  [
    'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
    z.looseObject({ webhooks: z.array(webhook).nullish() }),
  ],
  [
    'CustomResourceDefinition.apiextensions.k8s.io',
    z.looseObject({
      spec: z.looseObject({ names: z.looseObject({ kind: z.string() }), versions: z.array(version).min(1) }),
    }),
  ],
]);

/** @throws ReasonedError InputInvalid for the first field of the wrong form; never worth a retry. */
export function checkShape({ object, place }: SourceObject): void {
  const problem =
    problemOf(metadataOnly, object) ?? problemOf(SHAPES.get(groupKind(object)), object) ?? typeProblem(object);
  if (problem === undefined) return;
  throw new ReasonedError({
    reason: 'InputInvalid',
    retry: 'never',
    message: `${place}: ${describeRef(refOf(object))}: ${problem}`,
    hint: 'Correct the field; "kubectl apply --dry-run=server" finds all such fields',
  });
}

const metadataOnly = z.looseObject({ metadata });

function problemOf(shape: z.ZodType | undefined, object: KubeObject): string | undefined {
  const issue = shape?.safeParse(object).error?.issues[0];
  return issue === undefined ? undefined : `${issue.path.join('.')}: ${issue.message}`;
}

/** The CSV has a Deployment as Go reads it. */
function typeProblem(object: KubeObject): string | undefined {
  if (groupKind(object) !== 'Deployment.apps') return undefined;
  try {
    decode('Deployment', object);
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}
