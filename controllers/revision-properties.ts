/**
 * What a Revision says that its bundle provides and needs. A Revision may have been written by hand, so each is read for
 * itself, and nothing that it contains throws: one that cannot be read counts as one that says nothing. Pure.
 */
import { parseJson } from '../api/json.ts';
import type { Revision } from '../api/revision.ts';
import type { Property } from '../catalog/model.ts';

/** What a Revision provides and needs; nothing if any of it cannot be read. Never throws. */
export function propertiesOf(revision: Pick<Revision, 'spec'>): readonly Property[] {
  return read(revision).properties;
}

/** What is wrong with the properties of a Revision, as the rest of a sentence; undefined if all can be read. Never throws. */
export function propertyProblem(revision: Pick<Revision, 'spec'>): string | undefined {
  return read(revision).problem;
}

/** Whether a property of this type says what a bundle needs. */
export function isRequirement(type: string): boolean {
  return type.endsWith('.required') || type === 'olm.constraint';
}

interface Reading {
  readonly properties: readonly Property[];
  readonly problem?: string;
}

/** Parsed once for each Revision: its spec never changes. */
const known = new WeakMap<object, Reading>();

function read({ spec: { properties: stored } }: Pick<Revision, 'spec'>): Reading {
  if (stored === undefined) return { properties: [] };
  const before = known.get(stored);
  if (before !== undefined) return before;
  const reading = parseAll(stored);
  known.set(stored, reading);
  return reading;
}

function parseAll(stored: NonNullable<Revision['spec']['properties']>): Reading {
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
