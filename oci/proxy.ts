/** Which requests go through a proxy, as the variables of other programs in a cluster decide it. Pure. */
import { BlockList, isIP } from 'node:net';
import { canonicalHost, isLoopbackName } from './host.ts';

/** Variables by which proxies are named; small letters count first, as in other programs. */
export type ProxyEnv = Readonly<Record<string, string | undefined>>;

/** `proxy.example:3128` → `http://proxy.example:3128/`; undefined for a text that names no proxy over HTTP or TLS. */
export function proxyAddress(text: string): string | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

/** The variables with each address of a proxy in the form that Node's agents accept. */
export function usableProxies(env: ProxyEnv): ProxyEnv {
  return Object.fromEntries(
    Object.entries(env).map(([name, text]) => {
      const isAddress = /^https?_proxy$/i.test(name) && text !== undefined && text !== '';
      return [name, isAddress ? proxyAddress(text) : text];
    }),
  );
}

/** Whether no proxy is asked for a URL: it is this machine, which a proxy cannot reach, or an entry of `NO_PROXY` fits. */
export function isDirect(url: URL, env: ProxyEnv): boolean {
  if (isLoopbackName(canonicalHost(url.hostname))) return true;
  const target = { name: bare(url.hostname), port: url.port || (url.protocol === 'https:' ? '443' : '80') };
  const entries = (env['no_proxy'] || env['NO_PROXY'] || '').toLowerCase().split(',');
  return entries.some((entry) => fits(target, entry.trim()));
}

interface RequestedHost {
  readonly name: string;
  readonly port: string;
}

function fits({ name, port }: RequestedHost, entry: string): boolean {
  if (entry === '') return false;
  if (entry === '*') return true;
  const [address = '', prefix] = entry.split('/');
  if (prefix !== undefined) return isInRange(name, address, prefix);
  const { host = '', wanted } = partsOf(entry);
  if (wanted !== undefined && wanted !== port) return false;
  return isIP(host) === 0 ? isUnderDomain(name, host) : bare(canonicalHost(bracketed(host))) === name;
}

/** `10.0.0.0/8` has the addresses that a URL names, not those that a name leads to. */
function isInRange(name: string, address: string, prefix: string): boolean {
  const [asked, family] = [isIP(name), isIP(address)];
  const bits = Number(prefix);
  if (asked === 0 || asked !== family || !/^\d+$/.test(prefix) || bits > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address, bits, nameOf(family));
  return list.check(name, nameOf(asked));
}

function nameOf(family: number): 'ipv4' | 'ipv6' {
  return family === 4 ? 'ipv4' : 'ipv6';
}

/** An address of version 6 has colons of its own; with a port it has brackets. */
function partsOf(entry: string): { readonly host?: string; readonly wanted?: string | undefined } {
  if (isIP(entry) !== 0) return { host: entry };
  const { host = entry, wanted } = /^(?<host>\[[^\]]*\]|[^:]*)(?::(?<wanted>\d+))?$/.exec(entry)?.groups ?? {};
  return { host: bare(host), wanted };
}

/** `example` is about itself and all below, `.example` and `*.example` only about those below. */
function isUnderDomain(name: string, entry: string): boolean {
  const domain = entry.replace(/^\*(?=\.)/, '').replace(/\.$/, '');
  if (domain === '') return false;
  return domain.startsWith('.') ? name.endsWith(domain) : name === domain || name.endsWith(`.${domain}`);
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function bracketed(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address;
}
