/**
 * Checks that embedded objects are valid Kubernetes objects if their schema requires it. Stricter than the API server
 * in doubt.
 */
import { type Fields, isRecord, textOf as rawText } from '../../../api/untyped.ts';
import type { Schema } from '../schema.ts';
import { isEmbedded, itemsOf, stepTo } from './node.ts';
import type { Report } from './problem.ts';
import { listFields, readText, takeSteps, VISIT } from './steps.ts';
import { cutName } from './texts.ts';

/** Reports each invalid embedded object below the value, by the rule `embeddedResource`. */
export function checkEmbedded(schema: Schema | undefined, value: unknown, path: string, report: Report): void {
  if (schema === undefined) return;
  takeSteps(VISIT);
  if (Array.isArray(value)) {
    for (const item of value) checkEmbedded(itemsOf(schema), item, `${path}.items`, report);
    return;
  }
  if (!isRecord(value)) return;
  if (isEmbedded(schema)) {
    for (const message of faultsOf(value)) report({ rule: 'embeddedResource', path, message });
  }
  const fields = Object.entries(value);
  listFields(fields.length);
  for (const [key, field] of fields) {
    const step = stepTo(schema, key);
    if (step !== undefined) checkEmbedded(step.schema, field, `${path}.${step.name}`, report);
  }
}

/** Takes steps for the expression that the text is compared with. */
function textOf(value: unknown): string {
  const text = rawText(value);
  readText(text.length);
  return text;
}

const VERSION = /^[^/]+(\/[^/]+)?$/;
const KIND = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/i;

function faultsOf({ apiVersion, kind, metadata }: Fields): readonly string[] {
  return [
    ...(VERSION.test(textOf(apiVersion)) ? [] : ['it has no apiVersion']),
    ...(KIND.test(textOf(kind)) ? [] : ['it has no kind']),
    ...(metadata === undefined || metadata === null ? [] : faultsOfMetadata(metadata)),
  ];
}

const NAME = /^(?!\.{1,2}$)[^/%]+$/;
const KEY = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

/** Checks of metadata fields; any other field counts as doubtful. */
const METADATA: ReadonlyMap<string, (value: unknown) => boolean> = new Map<string, (value: unknown) => boolean>([
  ['name', (value) => NAME.test(textOf(value))],
  ['generateName', (value) => NAME.test(textOf(value))],
  ['namespace', (value) => LABEL.test(textOf(value))],
  ['labels', (value) => hasTexts(value, (key, text) => KEY.test(key) && LABEL.test(text))],
  ['annotations', (value) => hasTexts(value, (key) => KEY.test(key.toLowerCase()))],
  ['creationTimestamp', (value) => value === null],
]);

function faultsOfMetadata(metadata: unknown): readonly string[] {
  if (!isRecord(metadata)) return ['its metadata is no object'];
  const fields = Object.entries(metadata);
  takeSteps(fields.length);
  return fields
    .filter(([name, value]) => METADATA.get(name)?.(value) !== true)
    .map(([name]) => `its metadata.${cutName(name)} is refused, dropped or not judged here`);
}

function hasTexts(value: unknown, isRight: (key: string, text: string) => boolean): boolean {
  if (!isRecord(value)) return false;
  const texts = Object.entries(value);
  takeSteps(texts.length);
  return texts.every(([key, text]) => {
    readText(key.length);
    return typeof text === 'string' && isRight(key, text);
  });
}
