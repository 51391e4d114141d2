/** Which certificates rendered objects need: one for each Deployment whose Service the API server calls. Pure. */
import { groupKind, refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { certificateName, serviceHosts, serviceName } from './names.ts';
import { configsIn } from './client-configs.ts';

/** A certificate that the manager is to issue into a Secret of type `kubernetes.io/tls`. */
export interface RequiredCertificate {
  readonly deployment: string;
  readonly secretName: string;
  readonly serviceName: string;
  /** The first is the common name. */
  readonly dnsNames: readonly string[];
  /** Objects whose `caBundle` must be the authority of this certificate. */
  readonly injectInto: readonly ObjectRef[];
}

/**
 * The certificates, in the order of the Deployments. They are read from the objects and not from the bundle, so that
 * a Revision has all that it needs in its manifests.
 */
export function requiredIn(objects: readonly KubeObject[]): readonly RequiredCertificate[] {
  const callers = objects.flatMap((object) => servicesCalledBy(object).map((service) => ({ service, object })));
  return objects
    .filter((object) => groupKind(object) === 'Deployment.apps')
    .flatMap(({ metadata: { name, namespace = '' } }) => {
      const called = `${namespace}/${serviceName(name)}`;
      const injectInto = callers.filter(({ service }) => service === called).map(({ object }) => refOf(object));
      return injectInto.length === 0 ? [] : [describe(name, namespace, injectInto)];
    });
}

function describe(
  deployment: string,
  namespace: string,
  injectInto: RequiredCertificate['injectInto'],
): RequiredCertificate {
  return {
    deployment,
    secretName: certificateName(deployment),
    serviceName: serviceName(deployment),
    dnsNames: serviceHosts(deployment, namespace),
    injectInto,
  };
}

/** `<namespace>/<name>` of the Services that the API server calls because of this object. */
function servicesCalledBy(object: KubeObject): readonly string[] {
  const isApiService = groupKind(object) === 'APIService.apiregistration.k8s.io';
  const configs = isApiService ? [fieldsOf(object['spec'])] : configsIn(object).map(({ config }) => config);
  const named = configs.map((config) => fieldsOf(config['service']));
  return [...new Set(named.map(({ namespace, name }) => `${textOf(namespace)}/${textOf(name)}`))];
}
