/** Whether the command line and the manager have the same version, by the tag of the manager's image. Pure. */
import type { KubeObject } from '../../../../api/object.ts';
import type { JudgedFinding } from '../../../../report/finding.ts';
import { serverOf } from '../../../../report/versions.ts';
import { compareVersions, parseVersion } from '../../../../resolver/version.ts';

/** None if the version of the manager is not known: there is no Deployment, or its image has a digest or a tag of another kind. */
export function judgeVersions(deployment: KubeObject | undefined, own: string): readonly JudgedFinding[] {
  if (deployment === undefined) return [];
  const tag = serverOf(deployment).version.replace(/^v(?=\d)/, '');
  const [manager, program] = [parseVersion(tag), parseVersion(own)];
  if (!manager.ok || !program.ok) return [];
  if (compareVersions(manager.value, program.value) === 0)
    return [{ level: 'ok', message: `The manager and this program have version ${own}` }];
  return [
    {
      level: 'warning',
      message: `The manager has version ${tag}, and this program has version ${own}: they may decide differently`,
      advice: `Use the command line of version ${tag}: docs/how-to/use-the-command-line.md`,
    },
  ];
}
