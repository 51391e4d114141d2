/** Puts the program of modules/pod into the cluster's registry as an image of one file. */
import { copyFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create } from 'tar';
import { runTool } from '../run-tool.ts';

export interface PodImage {
  readonly folder: string;
  readonly binaries: ReadonlyMap<string, string>;
  /** `host:port`. */
  readonly registry: string;
  readonly authorization: string | undefined;
}

/** Pushes `pod:1`, which runs `pod pause` unless the Pod names another command. */
export async function pushPodImage({ folder, binaries, registry, authorization }: PodImage): Promise<void> {
  const files = mkdtempSync(join(folder, 'tmp', 'pod-'));
  copyFileSync(binaries.get('pod')!, join(files, 'pod'));
  const layer = join(files, 'layer.tar');
  await create({ file: layer, cwd: files, portable: true }, ['pod']);
  if (authorization !== undefined) {
    const auths = { [registry]: { auth: authorization.replace('Basic ', '') } };
    writeFileSync(join(files, 'config.json'), JSON.stringify({ auths }), { mode: 0o600 });
  }
  const crane = (args: readonly string[]): Promise<string> =>
    runTool(binaries.get('crane')!, { args, env: { HOME: files, DOCKER_CONFIG: files } });
  await crane(['append', '--oci-empty-base', '-f', layer, '-t', `${registry}/pod:0`]);
  const platform = `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const command = ['--entrypoint', '/pod', '--cmd', 'pause', '--set-platform', platform];
  await crane(['mutate', ...command, '-t', `${registry}/pod:1`, `${registry}/pod:0`]);
}
