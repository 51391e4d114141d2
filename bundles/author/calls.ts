/** Finds the Deployment that the API server calls through a Service, and the ports on the way. */
import { isRecord } from '../../api/untyped.ts';
import type { KubeObject } from '../../api/object.ts';
import { isInside, type Scene } from './scene.ts';
import type { SourceObject } from './source.ts';

/** The way of a call, or why there is none. */
export type Call =
  | {
      readonly deployment: string;
      readonly service: SourceObject;
      readonly containerPort: number;
      readonly targetPort: number | string;
    }
  | { readonly problem: string; readonly advice: string };

/** `clientConfig.service` of a webhook or of a CRD. */
export interface CalledService {
  readonly name?: string;
  readonly namespace?: string;
  readonly path?: string;
  readonly port?: number;
}

interface ServiceSpec {
  readonly selector?: Readonly<Record<string, string>>;
  readonly ports?: readonly { readonly port?: number; readonly targetPort?: number | string }[];
}

const HTTPS = 443;

/** Follows a client config to its Deployment. */
export function followCall(scene: Scene, clientConfig: unknown): Call {
  const config = isRecord(clientConfig) ? clientConfig : {};
  const called = config['service'] as CalledService | undefined;
  if (called?.name === undefined) {
    const problem = `it is called at the address ${JSON.stringify(config['url'] ?? '')}, and not through a Service`;
    return { problem, advice: 'Let the webhook be served by a Deployment of the operator, behind a Service' };
  }
  const service = (scene.byKind.get('Service') ?? []).find(
    ({ object }) => object.metadata.name === called.name && isInside(object, scene.namespace),
  );
  if (service === undefined) {
    return { problem: `it is called through the Service ${called.name}, which is not in the source`, advice: ADVICE };
  }
  const spec = (service.object['spec'] ?? {}) as ServiceSpec;
  const deployment = (scene.byKind.get('Deployment.apps') ?? []).find(({ object }) =>
    isSelected(object, spec.selector),
  );
  if (deployment === undefined) {
    return { problem: `its Service ${called.name} selects the Pods of no Deployment of the source`, advice: ADVICE };
  }
  const containerPort = called.port ?? HTTPS;
  const targetPort = spec.ports?.find(({ port }) => port === containerPort)?.targetPort ?? containerPort;
  return { deployment: deployment.object.metadata.name, service, containerPort, targetPort };
}

const ADVICE = 'Add the Service with the selector of the Deployment that serves the webhook';

interface WithTemplate {
  readonly spec?: {
    readonly template?: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } };
  };
}

function isSelected(deployment: KubeObject, selector: ServiceSpec['selector']): boolean {
  const labels = (deployment as KubeObject & WithTemplate).spec?.template?.metadata?.labels ?? {};
  const wanted = Object.entries(selector ?? {});
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}
