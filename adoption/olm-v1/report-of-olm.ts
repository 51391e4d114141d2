/** The state that OLM v1 reports about a ClusterExtension, for the sentences of steps that wait for it. Pure. */
import { redact } from '../../api/errors.ts';
import type { Condition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/object.ts';
import { HOLD } from '../olm-v0/kinds.ts';
import { conditionOf } from './extension.ts';

/** Its condition Progressing, and why nothing is installed; undefined if the ClusterExtension does not exist. */
export function reportOfOlm(extension: KubeObject | undefined): string | undefined {
  if (extension === undefined) return undefined;
  const [progressing, installed] = ['Progressing', 'Installed'].map((type) => conditionOf(extension, type));
  if (progressing === undefined) return 'OLM has reported nothing';
  const isOfSpec = progressing.observedGeneration === extension.metadata.generation;
  const report = isOfSpec
    ? `OLM reports ${wordsOf(progressing)}`
    : `OLM has not reported on this change yet; before, it reported ${wordsOf(progressing)}`;
  const isMissing = installed?.status === 'False' && installed.message !== progressing.message;
  return isMissing ? `${report}; not installed: ${wordsOf(installed)}` : report;
}

/** The finalizers for which a deletion waits; undefined if there are none but that of Slipway. */
export function finalizersLeft(extension: KubeObject | undefined): string | undefined {
  const others = (extension?.metadata.finalizers ?? []).filter((one) => one !== HOLD);
  return others.length === 0 ? undefined : `left are ${ofOlm(others.join(', '))}`;
}

/** A sentence with reports behind it. */
export function joined(sentence: string, ...reports: readonly (string | undefined)[]): string {
  return [sentence, ...reports.filter((one) => one !== undefined)].join('; ');
}

function wordsOf({ reason, message }: Condition): string {
  return `${ofOlm(reason)}: ${ofOlm(message)}`;
}

/** OLM puts texts of registries and webhooks into its messages. */
const MOST_SHOWN = 500;

function ofOlm(text: string): string {
  const line = redact(text.replaceAll(/\s+/g, ' ').trim());
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line;
}
