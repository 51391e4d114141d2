/** Has one server answer for all Services of a cluster without Pods. */
import { join } from 'node:path';
import type { ClusterNetwork } from '../node/network.ts';
import { runTool } from '../run-tool.ts';
import type { Boot } from '../start-components.ts';

/** Every address of a Service belongs to the machine, and one server answers at all of them. */
export async function answerServices({ folder, supervisor, options }: Boot, network: ClusterNetwork): Promise<void> {
  if (options.node === 'real') return;
  const inHub = [
    '--target',
    String(network.hub),
    '--net',
    'ip',
    'route',
    'add',
    'local',
    network.serviceCidr,
    'dev',
    'lo',
  ];
  await runTool('nsenter', { args: inHub, env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` } });
  await supervisor.start({
    name: 'services',
    program: process.execPath,
    args: [join(import.meta.dirname, 'answer-services.ts'), folder, `https://${network.gateway}:6443`],
  });
}
