/** A Service for each Deployment that the API server calls, with the ports of its webhooks and APIServices. */
import type { KubeObject } from '../../api/object.ts';
import type { CsvDeployment } from '../bundle.ts';
import { serviceName } from './names.ts';
import type { RenderContext } from './options.ts';

interface ServicePort {
  readonly name: string;
  readonly port: number;
  readonly targetPort: number | string;
}

export function renderServices(context: RenderContext): readonly KubeObject[] {
  const { deployments = [] } = context.bundle.csv.spec.install.spec ?? {};
  return deployments.flatMap((deployment) => {
    const ports = portsOf(context, deployment.name);
    return ports.length === 0 ? [] : [serviceFor(context, deployment, ports)];
  });
}

function portsOf({ bundle, options }: RenderContext, deployment: string): readonly ServicePort[] {
  const { webhookdefinitions = [], apiservicedefinitions } = bundle.csv.spec;
  const apiServices = options.certificates === 'none' ? [] : (apiservicedefinitions.owned ?? []);
  const calls = [...webhookdefinitions, ...apiServices].filter((call) => call.deploymentName === deployment);
  const ports = new Map<string, ServicePort>();
  for (const call of calls) {
    const port = portOf(call);
    ports.set(JSON.stringify(port), port);
  }
  return [...ports.values()].sort(byPort);
}

function portOf(call: { readonly containerPort?: number; readonly targetPort?: number | string }): ServicePort {
  const port = calledPort(call);
  return { name: String(port), port, targetPort: call.targetPort ?? port };
}

/** The port of a Service by which the API server calls: that of HTTPS unless said, as the CRD of OLM v0 fills it in. */
export function calledPort({ containerPort = 0 }: { readonly containerPort?: number }): number {
  return containerPort === 0 ? DEFAULT_PORT : containerPort;
}

const DEFAULT_PORT = 443;

function byPort(a: ServicePort, b: ServicePort): number {
  return a.port - b.port || numeric(a.targetPort) - numeric(b.targetPort);
}

/** A named port counts as 0, as in Go. */
function numeric(port: number | string): number {
  const number = typeof port === 'number' ? port : Number.parseInt(port, 10);
  return Number.isNaN(number) ? 0 : number;
}

function serviceFor(
  { options }: RenderContext,
  { name, spec }: CsvDeployment,
  ports: readonly ServicePort[],
): KubeObject {
  const selector = spec.selector?.matchLabels;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: serviceName(name), namespace: options.namespace },
    spec: { ports, ...(selector !== undefined && { selector }) },
  };
}
