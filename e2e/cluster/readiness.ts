/** Asks the servers that are not the API server whether they are ready. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Layout } from './components.ts';
import type { RegistryOptions } from './registry-config.ts';

/** Whether etcd has a leader and serves. */
export async function etcdReady({ address, ports }: Layout): Promise<boolean> {
  return (await statusOf(`http://${address}:${ports.etcd}/readyz`)) === 200;
}

/** Whether the registry answers; a request for credentials is an answer too. */
export async function registryReady({ address, ports }: Layout, options: RegistryOptions): Promise<boolean> {
  const scheme = options.tls === true ? 'https' : 'http';
  return [200, 401].includes(await statusOf(`${scheme}://${address}:${ports.registry}/v2/`));
}

/** Reads only the status, so the issuer of the certificate does not matter. */
function statusOf(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { agent: false, rejectUnauthorized: false, timeout: 2_000 };
    const request = url.startsWith('https:') ? httpsRequest : httpRequest;
    const sent = request(url, options, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.once('timeout', () => sent.destroy(new Error('no answer')));
    sent.once('error', reject);
    sent.end();
  });
}
