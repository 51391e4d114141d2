/** Outcomes of commands that read a cluster, in the formats that they share. Pure. */
import { groupOf, type KubeObject } from '../../../api/object.ts';
import { isTemplate, templateOf } from '../flags.ts';
import type { ExitCode, Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';
import { formatTemplate } from '../output/template.ts';
import { formatData, formatYaml } from '../../../report/data.ts';

/** The outcome of a command that prints text for people, JSON or YAML. */
export function outcomeOf(data: unknown, text: string, output: string, exitCode: ExitCode = 0): Outcome {
  return { data, text: output === 'yaml' ? formatYaml([data]) : text, exitCode };
}

/** `subscription.slipway.dev/beacon`, as kubectl names an object. */
export function nameOf({ apiVersion, kind, metadata }: KubeObject): string {
  const group = groupOf(apiVersion);
  return cleanLine(`${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${metadata.name}`);
}

/** One entry of a stream as a document; undefined if the format is for people. */
export function formatStreamed(data: unknown, output: string): string | undefined {
  if (isTemplate(output)) return formatTemplate(templateOf(output), data);
  if (output === 'json') return formatData(data);
  return output === 'yaml' ? formatYaml([data]) : undefined;
}

/** A list as kubectl prints it. */
export function listOfObjects(items: readonly KubeObject[]): object {
  return { apiVersion: 'v1', kind: 'List', metadata: {}, items };
}
