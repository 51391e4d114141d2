/**
 * The properties in a Revision: what its bundle provides and needs. A Revision may have been written by hand, so each
 * property is parsed by itself, and no content throws: a Revision whose properties cannot be read counts as one without
 * any. Pure.
 */
import { parseJson } from '../api/json.ts';
import type { Revision } from '../api/revision.ts';
import type { Property } from '../catalog/model.ts';

/** The properties of a Revision; none if any of them cannot be read. Never throws. */
export function propertiesOf(revision: Pick<Revision, 'spec'>): readonly Property[] {
  return read(revision).properties;
}

/** The fault in the properties of a Revision, as the rest of a sentence; undefined if all can be read. Never throws. */
export function propertyProblem(revision: Pick<Revision, 'spec'>): string | undefined {
  return read(revision).problem;
}

/** Whether a property of this type is a requirement of the bundle. */
export function isRequirement(type: string): boolean {
  return type.endsWith('.required') || type === 'olm.constraint';
}

interface ReadProperties {
  readonly properties: readonly Property[];
  readonly problem?: string;
}

/** Each Revision is parsed once: its spec never changes. */
const known = new WeakMap<object, ReadProperties>();

function read({ spec: { properties: stored } }: Pick<Revision, 'spec'>): ReadProperties {
  if (stored === undefined) return { properties: [] };
  const before = known.get(stored);
  if (before !== undefined) return before;
  const reading = parseAll(stored);
  known.set(stored, reading);
  return reading;
}

function parseAll(stored: NonNullable<Revision['spec']['properties']>): ReadProperties {
  const properties: Property[] = [];
  for (const [index, { type, value }] of stored.entries()) {
    try {
      properties.push({ type, value: parseJson(value) });
    } catch {
      return {
        properties: [],
        problem: `spec.properties[${index}] (${type}) is not JSON that can be read, or is nested too deep`,
      };
    }
  }
  return { properties };
}
