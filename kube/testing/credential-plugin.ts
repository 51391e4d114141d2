/** A credential plugin for tests: a program that prints the content of a file beside it, and counts its runs. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CredentialPlugin {
  /** Path of the program. */
  readonly command: string;
  /** The `exec` section of a user who uses it. */
  readonly exec: Readonly<Record<string, unknown>>;
  /** Makes the program print an ExecCredential with this status. */
  readonly give: (status: Readonly<Record<string, string>>) => void;
  readonly print: (text: string) => void;
  /** Shell lines to run instead of printing. */
  readonly become: (script: string) => void;
  readonly runs: () => number;
  /** KUBERNETES_EXEC_INFO of the last run. */
  readonly lastInfo: () => unknown;
}

const API_VERSION = 'client.authentication.k8s.io/v1';

/** Writes the program into a new folder. */
export function createCredentialPlugin(folder: string): CredentialPlugin {
  mkdirSync(folder, { recursive: true });
  const command = join(folder, 'get-token');
  const [output, runs, info] = ['output', 'runs', 'info'].map((name) => join(folder, name)) as [string, string, string];
  const become = (script: string): void =>
    writeFileSync(
      command,
      `#!/bin/sh\necho run >> '${runs}'\nprintf %s "$KUBERNETES_EXEC_INFO" > '${info}'\n${script}\n`,
      { mode: 0o700 },
    );
  const print = (text: string): void => {
    writeFileSync(output, text);
    become(`cat '${output}'`);
  };
  return {
    command,
    exec: { apiVersion: API_VERSION, command, args: ['--cluster', 'demo'], interactiveMode: 'IfAvailable' },
    give: (status) => print(JSON.stringify({ apiVersion: API_VERSION, kind: 'ExecCredential', status })),
    print,
    become,
    runs: () => (existsSync(runs) ? readFileSync(runs, 'utf8').trim().split('\n').length : 0),
    lastInfo: () => JSON.parse(readFileSync(info, 'utf8')) as unknown,
  };
}
