/** The manager in a cluster: its name, and whether its replicas elect a leader. Pure. */
import type { KubeObject } from '../api/object.ts';
import { fieldsOf, listOf, textOf } from '../api/untyped.ts';

/** Name of the manager's Deployment, ServiceAccount, Service and Lease. */
export const MANAGER = 'slipway-manager';

/** Whether the replicas of a Deployment of the manager elect a leader: unless a variable or a flag says otherwise. */
export function hasElection(deployment: KubeObject): boolean {
  const { containers } = fieldsOf(fieldsOf(fieldsOf(deployment['spec'])['template'])['spec']);
  return !listOf(containers).some((container) => {
    const { command = [], args = [] } = container as {
      readonly command?: readonly unknown[];
      readonly args?: unknown[];
    };
    const flag = FLAG.exec([...command, ...args].map(textOf).join(' '))?.[1];
    const variable = listOf(container['env']).findLast(({ name }) => name === 'SLIPWAY_LEADER_ELECT');
    return NO.test(flag ?? textOf(variable?.['value']));
  });
}

const FLAG = /(?:^| )--leader-elect[= ](\S+)/;

/** The words that the manager reads as a no. */
const NO = /^(?:false|0|no|off|n|disabled)$/i;
