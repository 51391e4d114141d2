import { expect, test } from 'vitest';
import { nodeFiles } from './node-files.ts';

const files = nodeFiles({
  name: 'node-1',
  folder: '/f/node-1',
  cgroup: '/slipway-x/node-1',
  network: { address: '10.64.0.11', podCidr: '10.64.129.0/24' },
  podCidr: '10.64.128.0/17',
  nameServer: '10.64.0.1',
  registry: 'http://10.64.0.1:5000',
  authorization: 'Basic c2xpcHdheQ==',
  caFile: '/f/pki/ca.crt',
  binaries: new Map([
    ['bridge', '/bin/cni/bridge'],
    ['runc', '/bin/runc-1/runc'],
  ]),
});

test.each([
  { file: 'certs.d/_default/hosts.toml', text: 'server = "http://10.64.0.1:5000"', because: 'no image leads outside' },
  { file: 'certs.d/test.slipway.dev/hosts.toml', text: 'authorization = "Basic c2xpcHdheQ=="', because: 'Pods start' },
  { file: 'containerd.toml', text: 'restrict_oom_score_adj = true', because: 'Pods start without CAP_SYS_RESOURCE' },
  { file: 'containerd.toml', text: 'bin_dirs = ["/bin/cni"]', because: 'the CNI plugins lie beside one another' },
  { file: 'kubelet.json', text: '"failCgroupV1":false', because: 'control groups of version 1 are still about' },
  { file: 'kubelet.json', text: '"cgroupRoot":"/slipway-x/node-1"', because: 'what a cluster leaves is found by name' },
  { file: 'sys/kernel/panic', text: '10', because: 'the kubelet leaves this machine’s settings alone' },
])('$file says $text, so that $because', ({ file, text }) => {
  expect(files.get(file)).toContain(text);
});

test('no password opens the images of operators: they need a pull secret', () => {
  expect(files.get('certs.d/_default/hosts.toml')).not.toContain('authorization');
});
