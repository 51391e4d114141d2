/** Which certificates rendered objects need: one for each Deployment whose Service the API server calls. Pure. */
import { groupKind, refOf, type KubeObject } from '../../api/object.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { certificateName, serviceName } from './names.ts';
import { configsIn } from './client-configs.ts';
import type { RequiredCertificate } from './certificates.ts';

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
  const service = serviceName(deployment);
  const name = `${service}.${namespace}`;
  return {
    deployment,
    secretName: certificateName(deployment),
    serviceName: service,
    dnsNames: [name, `${name}.svc`, `${name}.svc.cluster.local`],
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
