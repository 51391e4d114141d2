import type { Bundle } from '../bundle.ts';
import { calledPort } from '../render/services.ts';
import { inCsv, type Check, type FoundBy } from './check.ts';

/** Ports by which the API server calls a Deployment are ports, and each of them leads to one place. */
export const webhookPorts: Check = {
  name: 'webhook-ports',
  suite: 'install',
  *run(bundle) {
    const targets = new Map<string, unknown>();
    for (const { path, deploymentName = '', containerPort = 0, targetPort } of callsOf(bundle)) {
      if (containerPort !== 0 && !isPort(containerPort)) yield noPort(bundle, `${path}.containerPort`, containerPort);
      if (!isTarget(targetPort)) yield noPort(bundle, `${path}.targetPort`, targetPort);
      const port = calledPort({ containerPort });
      const key = `${deploymentName} ${port}`;
      const target = targetPort === undefined || targetPort === 0 || targetPort === '' ? port : targetPort;
      if (targets.has(key) && targets.get(key) !== target) {
        const message = `the port ${port} of ${deploymentName} leads to several target ports`;
        const advice = 'Give each target port a containerPort of its own';
        yield { level: 'error', ...inCsv(bundle, `${path}.targetPort`), message, advice };
      }
      targets.set(key, target);
    }
  },
};

interface WebhookCall {
  readonly path: string;
  readonly deploymentName?: string;
  readonly containerPort?: number;
  readonly targetPort?: number | string;
}

function callsOf({ csv }: Bundle): readonly WebhookCall[] {
  const { webhookdefinitions = [], apiservicedefinitions } = csv.spec;
  return [
    ...webhookdefinitions.map((call, index) => ({ ...call, path: `spec.webhookdefinitions[${index}]` })),
    ...(apiservicedefinitions.owned ?? []).map((call, index) => ({
      ...call,
      path: `spec.apiservicedefinitions.owned[${index}]`,
    })),
  ];
}

/** Numbers beyond 2^53 are bigints here, and no ports. */
function isPort(port: unknown): boolean {
  return typeof port === 'number' && port >= 1 && port <= 65_535;
}

/** A number, the name of a port, or nothing, which is the containerPort. */
function isTarget(target: number | string | undefined): boolean {
  if (target === undefined || target === 0 || target === '' || isPort(target)) return true;
  if (typeof target !== 'string' || target.length > 15 || target.includes('--')) return false;
  return /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(target) && /[a-z]/.test(target);
}

function noPort(bundle: Bundle, path: string, port: unknown): FoundBy {
  const message = `${String(port).slice(0, 100)} is not a port`;
  return { level: 'error', ...inCsv(bundle, path), message, advice: 'Use a number from 1 to 65535' };
}
