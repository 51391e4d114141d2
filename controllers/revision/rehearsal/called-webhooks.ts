/** The webhooks of a Revision that the API server calls and that must answer. Pure. */
import { refOf, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import { fieldsOf, numberOf, textOf, type Fields } from '../../../api/untyped.ts';
import { configsIn } from '../../../bundles/render/client-configs.ts';

/** A webhook that must answer: without its answer the API server rejects requests. */
export interface CalledWebhook {
  /** The CRD or the configuration that names it. */
  readonly caller: ObjectRef;
  readonly service: { readonly namespace: string; readonly name: string };
  readonly port: number;
  /** Begins with a slash, or is empty. */
  readonly path: string;
  /** Base64 of PEM; empty if another program fills it in. */
  readonly caBundle: string;
}

/**
 * The port if a configuration names none. @see
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
const DEFAULT_PORT = 443;

/**
 * Each Service, port and path once, in the order of the objects. Webhooks behind a Service outside of the objects are
 * left out.
 */
export function calledWebhooks(objects: readonly KubeObject[]): readonly CalledWebhook[] {
  const own = new Set(objects.map(keyOfService));
  const called = objects.flatMap((object) =>
    configsIn(object)
      .filter(({ isRequired }) => isRequired)
      .flatMap(({ config }) => readConfig(refOf(object), config))
      .filter(({ service: { namespace, name } }) => own.has(`${namespace}/${name}`)),
  );
  return [...new Map(called.map((webhook) => [addressOf(webhook), webhook])).values()];
}

/** `<namespace>/<name>` of a Service; undefined for other kinds. */
export function keyOfService({ apiVersion, kind, metadata }: KubeObject): string | undefined {
  return apiVersion === 'v1' && kind === 'Service' ? `${metadata.namespace ?? ''}/${metadata.name}` : undefined;
}

/** The URL that the API server calls. */
export function addressOf({ service: { namespace, name }, port, path }: CalledWebhook): string {
  return `https://${name}.${namespace}.svc:${port}${path}`;
}

function readConfig(caller: ObjectRef, config: Fields): readonly CalledWebhook[] {
  const { namespace, name, port, path } = fieldsOf(config['service']);
  if (textOf(name) === '') return [];
  const service = { namespace: textOf(namespace), name: textOf(name) };
  const webhook = { port: numberOf(port) ?? DEFAULT_PORT, path: textOf(path), caBundle: textOf(config['caBundle']) };
  return [{ caller, service, ...webhook }];
}
