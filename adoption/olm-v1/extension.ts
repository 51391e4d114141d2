/** Reads a ClusterExtension, which OLM and people write. Pure. */
import type { Condition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';

/** The bundle that OLM reports as installed; empty texts if there is none. */
export function installedBundle(extension: KubeObject | undefined): {
  readonly name: string;
  readonly version: string;
} {
  const { name, version } = fieldsOf(fieldsOf(fieldsOf(extension?.['status'])['install'])['bundle']);
  return { name: textOf(name), version: textOf(version) };
}

/** `spec.source.catalog`. */
export function catalogFilter(extension: KubeObject | undefined): Readonly<Record<string, unknown>> {
  return fieldsOf(fieldsOf(fieldsOf(extension?.['spec'])['source'])['catalog']);
}

/** Whether OLM has acted on the spec as it is, and has reached it. */
export function isSettled(extension: KubeObject | undefined): boolean {
  const progressing = conditionOf(extension, 'Progressing');
  return (
    extension !== undefined &&
    progressing?.status === 'True' &&
    progressing.reason === 'Succeeded' &&
    progressing.observedGeneration === extension.metadata.generation &&
    conditionOf(extension, 'Installed')?.status === 'True'
  );
}

/** A condition that OLM has written. */
export function conditionOf(extension: KubeObject | undefined, type: string): Condition | undefined {
  const conditions = fieldsOf(extension?.['status'])['conditions'] as readonly Condition[] | undefined;
  return conditions?.find((one) => one.type === type);
}
