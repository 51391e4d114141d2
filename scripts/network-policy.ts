/** Judges which destinations a network policy allows to its Pods, as far as an address and a port decide it. Pure. */
import { BlockList, isIPv6 } from 'node:net';

interface Block {
  readonly cidr: string;
  readonly except?: readonly string[];
}

export interface Egress {
  readonly to?: readonly { readonly ipBlock?: Block }[];
  /** Without a port all are meant. */
  readonly ports: readonly { readonly protocol: string; readonly port?: number; readonly endPort?: number }[];
}

/**
 * Whether traffic to an address outside of the cluster is let through: Pods and namespaces that are chosen by labels
 * have none of these. @see https://kubernetes.io/docs/concepts/services-networking/network-policies/
 */
export function reaches(egress: readonly Egress[], address: string, port: number, protocol = 'TCP'): boolean {
  return egress.some(
    ({ to, ports }) =>
      ports.some((one) => one.protocol === protocol && hasPort(one, port)) &&
      (to === undefined || to.some(({ ipBlock }) => ipBlock !== undefined && isInside(address, ipBlock))),
  );
}

function hasPort({ port: first, endPort: last = first }: Egress['ports'][number], port: number): boolean {
  return first === undefined || last === undefined || (first <= port && port <= last);
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
