/** The state that OLM v1 reports about a ClusterExtension, for the sentences of steps that wait for it. Pure. */
import type { Condition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/object.ts';
import { ofOlm } from '../awaiting.ts';
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

function wordsOf({ reason, message }: Condition): string {
  return `${ofOlm(reason)}: ${ofOlm(message)}`;
}
