/**
 * The kubeconfig fields that define a connection. Fields of other programs may stand beside them.
 * @see https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */
import * as z from 'zod/mini';

const text = z.optional(z.string());
const flag = z.optional(z.boolean());

/** A file; entries are validated only when a context names them. Go writes an empty list as `null`. */
export const fileSchema = z.looseObject({
  'current-context': text,
  contexts: z.nullish(z.array(z.looseObject({ name: z.string(), context: z.unknown() }))),
  clusters: z.nullish(z.array(z.looseObject({ name: z.string(), cluster: z.unknown() }))),
  users: z.nullish(z.array(z.looseObject({ name: z.string(), user: z.unknown() }))),
});

export const contextSchema = z.looseObject({ cluster: z.string(), user: text, namespace: text });

const extensionSchema = z.looseObject({ name: z.string(), extension: z.unknown() });

export const clusterSchema = z.looseObject({
  server: z.string(),
  'certificate-authority': text,
  'certificate-authority-data': text,
  'tls-server-name': text,
  'insecure-skip-tls-verify': flag,
  'proxy-url': text,
  extensions: z.nullish(z.array(extensionSchema)),
});
export type KubeconfigCluster = z.infer<typeof clusterSchema>;

/** @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins */
const execSchema = z.looseObject({
  apiVersion: z.string(),
  command: z.string().check(z.minLength(1)),
  args: z.nullish(z.array(z.string())),
  env: z.nullish(z.array(z.object({ name: z.string(), value: z.string() }))),
  installHint: text,
  provideClusterInfo: flag,
  interactiveMode: text,
});
export type ExecPlugin = z.infer<typeof execSchema>;

const authProviderSchema = z.looseObject({
  name: z.string(),
  config: z.nullish(z.record(z.string(), z.string())),
});

export const userSchema = z.looseObject({
  token: text,
  tokenFile: text,
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  username: text,
  password: text,
  as: text,
  'as-uid': text,
  'as-groups': z.nullish(z.array(z.string())),
  'as-user-extra': z.nullish(z.record(z.string(), z.array(z.string()))),
  exec: z.nullish(execSchema),
  'auth-provider': z.nullish(authProviderSchema),
});
export type KubeconfigUser = z.infer<typeof userSchema>;
