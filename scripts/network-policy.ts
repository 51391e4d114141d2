/** Judges which destinations a network policy allows to its Pods, as far as an address and a port decide it. Pure. */
import { BlockList, isIPv6 } from 'node:net';

interface Block {
  readonly cidr: string;
  readonly except?: readonly string[];
}

export interface Egress {
  readonly to?: readonly { readonly ipBlock?: Block }[];
  readonly ports: readonly { readonly protocol: string; readonly port: number; readonly endPort?: number }[];
}

/**
 * Whether a connection over TCP to an address outside of the cluster is let through: Pods and namespaces that are
 * chosen by labels have none of these. @see https://kubernetes.io/docs/concepts/services-networking/network-policies/
 */
export function reaches(egress: readonly Egress[], address: string, port: number): boolean {
  return egress.some(
    ({ to, ports }) =>
      ports.some((one) => one.protocol === 'TCP' && one.port <= port && port <= (one.endPort ?? one.port)) &&
      (to === undefined || to.some(({ ipBlock }) => ipBlock !== undefined && isInside(address, ipBlock))),
  );
}

function isInside(address: string, { cidr, except = [] }: Block): boolean {
  return contains(cidr, address) && !except.some((block) => contains(block, address));
}

function contains(cidr: string, address: string): boolean {
  const [network = '', bits] = cidr.split('/');
  const family = isIPv6(network) ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return isIPv6(address) === isIPv6(network) && list.check(address, family);
}
