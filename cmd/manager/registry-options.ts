/** How the manager's registry clients connect, as its options say. */
import { isLoopbackName } from '../../oci/host.ts';
import type { RegistryOptions } from '../../oci/registry.ts';
import type { ManagerOptions } from './options.ts';

export function registryOptions(
  options: ManagerOptions,
): Pick<RegistryOptions, 'plainHttp' | 'userAgent' | 'linkLocalAddresses' | 'timeouts' | 'proxyEnv'> {
  const silentMs = options['registry-timeout'] * 1000;
  return {
    plainHttp: (name) => isLoopbackName(name) || options['plain-http'].includes(name),
    userAgent: 'slipway',
    linkLocalAddresses: options['link-local-registries'] ? 'allow' : 'refuse',
    timeouts: { headersMs: silentMs, stallMs: silentMs },
    proxyEnv: {
      HTTPS_PROXY: options['https-proxy'],
      HTTP_PROXY: options['http-proxy'],
      NO_PROXY: options['no-proxy'],
    },
  };
}
