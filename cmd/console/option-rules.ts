/** What the options of the console mean together. Pure. */
import type { ConsoleFlags } from './options.ts';

/** Connections that one address may have: one browser cannot take those of all others, unless all are behind a proxy. */
export function connectionsPerAddress(options: ConsoleFlags): number {
  const { login, 'max-connections': all, 'max-connections-per-address': given } = options;
  const isDirect = options['tls-cert-file'] !== undefined && !login.has('proxy');
  return given ?? (isDirect ? Math.ceil(all / 4) : all);
}

/** Options that work, and that an administrator has to know the price of; and those that are ignored. */
export function warningsOf(options: ConsoleFlags): readonly string[] {
  const { protocol, hostname } = new URL(options['external-url']);
  const isOwn = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname) || hostname.endsWith('.localhost');
  if (protocol === 'https:' || isOwn) return options.ignored;
  return [
    ...options.ignored,
    'browsers reach the console without TLS: everyone on the way can read sessions and tokens, and act with them; let a proxy end TLS, or set --tls-cert-file, and begin --external-url with https://',
  ];
}
