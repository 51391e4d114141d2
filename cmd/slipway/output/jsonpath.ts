/**
 * Templates for `-o jsonpath=`: the part of kubectl's dialect that scripts use. Text outside of braces and quoted text inside
 * stay; a path picks values, and a missing one is empty. No library on npm reads this dialect. Pure.
 * @see https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */
import { formatJson } from '../../../api/json.ts';
import { isRecord } from '../../../api/untyped.ts';
import { invalidInput } from '../../../api/invalid-input.ts';

/** One step of a path. */
type TemplateStep =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'item'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly path: ValuePath; readonly operator?: string; readonly value?: unknown };

type ValuePath = readonly TemplateStep[];

type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly path: ValuePath }
  | { readonly kind: 'range'; readonly path: ValuePath; readonly parts: readonly TemplatePart[] };

/** The text of a template for data. @throws ReasonedError InputInvalid for a template that cannot be parsed */
export function formatJsonPath(template: string, data: unknown): string {
  return print(new TemplateParser(template).parse(), data);
}

function print(parts: readonly TemplatePart[], data: unknown): string {
  return parts
    .map((part) => {
      if (part.kind === 'text') return part.text;
      const values = valuesAt(part.path, data);
      if (part.kind === 'path') return values.map(printValue).join(' ');
      return values.map((value) => print(part.parts, value)).join('');
    })
    .join('');
}

function printValue(value: unknown): string {
  return typeof value === 'object' && value !== null ? formatJson(value) : String(value);
}

function valuesAt(path: ValuePath, data: unknown): readonly unknown[] {
  return path.reduce<readonly unknown[]>((values, step) => values.flatMap((value) => take(step, value)), [data]);
}

function take(step: TemplateStep, value: unknown): readonly unknown[] {
  switch (step.kind) {
    case 'field':
      return isRecord(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case 'item': {
      const item = Array.isArray(value) ? (value as readonly unknown[]).at(step.index) : undefined;
      return item === undefined ? [] : [item];
    }
    case 'all':
      return itemsIn(value);
    case 'filter':
      return itemsIn(value).filter((item) => isHit(step, item));
  }
}

function itemsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  return isRecord(value) ? Object.values(value) : [];
}

function isHit({ path, operator, value }: Extract<TemplateStep, { kind: 'filter' }>, item: unknown): boolean {
  const [found] = valuesAt(path, item);
  if (operator === undefined) return found !== undefined;
  return (found === value) === (operator === '==');
}

const SUPPORTED =
  'A template has text, {"quoted text"}, {.fields}, {[\'quoted.fields\']}, {.items[0]}, {.items[-1]}, {.items[*]}, {.items[?(@.field=="value")]} and {range .items[*]}…{end}';

const [NAME, INDEX, FILTER, VALUE] = [
  /\.((?:\\.|[^.[\]{}()\s=!"'\\*?,])+)/y,
  /\[(-?\d{1,9})\]/y,
  /\[\?\(\s*@((?:\.(?:\\.|[\w-])+|\['[^']*'\]|\[\d+\])+)\s*(?:(==|!=)\s*("(?:\\.|[^"\\])*"|'[^']*'|-?\d+(?:\.\d+)?|true|false)\s*)?\)\]/y,
  /(?:\["([^"]*)"\]|\['([^']*)'\])/y,
];

/** Reads a template from its beginning to its end. */
class TemplateParser {
  readonly #template: string;
  #at = 0;

  constructor(template: string) {
    this.#template = template;
  }

  parse(): readonly TemplatePart[] {
    const parts = this.#parts(false);
    if (this.#at < this.#template.length) throw this.#invalid();
    return parts;
  }

  /** The parts up to the end, or up to `{end}`. */
  #parts(inRange: boolean): readonly TemplatePart[] {
    const parts: TemplatePart[] = [];
    while (this.#at < this.#template.length) {
      const text = this.#match(/[^{]+/y);
      if (text !== undefined) parts.push({ kind: 'text', text: text[0] });
      else if (this.#match(/\{\s*end\s*\}/y) !== undefined) {
        if (inRange) return parts;
        throw this.#invalid();
      } else parts.push(...this.#braces());
    }
    if (inRange) throw this.#invalid();
    return parts;
  }

  #braces(): readonly TemplatePart[] {
    if (this.#match(/\{\s*/y) === undefined) throw this.#invalid();
    if (this.#match(/range\s+/y) !== undefined) {
      const path = this.#path();
      if (this.#match(/\s*\}/y) === undefined) throw this.#invalid();
      return [{ kind: 'range', path, parts: this.#parts(true) }];
    }
    const parts: TemplatePart[] = [];
    while (this.#match(/\s*\}/y) === undefined) {
      const quoted = this.#match(/\s*("(?:\\.|[^"\\])*")/y);
      if (quoted !== undefined) parts.push({ kind: 'text', text: this.#unquoted(quoted[1] ?? '') });
      else if (this.#at < this.#template.length) parts.push({ kind: 'path', path: this.#path() });
      else throw this.#invalid();
    }
    return parts;
  }

  #path(): ValuePath {
    const start = this.#at;
    this.#match(/\s*[$@]?/y);
    const steps = stepsIn(this.#template, this.#at);
    this.#at = steps.end;
    this.#match(/\.(?=\s*\})/y); // `{.}` is the data itself
    if (this.#at === start) throw this.#invalid();
    return steps.path;
  }

  #unquoted(text: string): string {
    try {
      return JSON.parse(text) as string;
    } catch {
      throw this.#invalid();
    }
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#template) ?? undefined;
    if (found !== undefined) this.#at = pattern.lastIndex;
    return found;
  }

  #invalid(): Error {
    const place = this.#template.slice(this.#at, this.#at + 40);
    const where = place === '' ? 'it ends too early' : `it cannot be read from ${JSON.stringify(place)} on`;
    return invalidInput(`-o jsonpath: the template is not supported: ${where}`, SUPPORTED);
  }
}

/** The steps from a position on, up to the first character that belongs to none. */
function stepsIn(text: string, start: number): { readonly path: ValuePath; readonly end: number } {
  const path: TemplateStep[] = [];
  let end = start;
  const at = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = end;
    const found = pattern.exec(text) ?? undefined;
    if (found !== undefined) end = pattern.lastIndex;
    return found;
  };
  for (;;) {
    let found = at(NAME);
    if (found !== undefined) path.push({ kind: 'field', name: (found[1] ?? '').replaceAll(/\\(.)/g, '$1') });
    else if (at(/\[\*\]|\.\*/y) !== undefined) path.push({ kind: 'all' });
    else if ((found = at(INDEX)) !== undefined) path.push({ kind: 'item', index: Number(found[1]) });
    else if ((found = at(VALUE)) !== undefined) path.push({ kind: 'field', name: found[1] ?? found[2] ?? '' });
    else if ((found = at(FILTER)) !== undefined) path.push(filterOf(found));
    else return { path, end };
  }
}

function filterOf([, path = '', operator, value]: RegExpExecArray): TemplateStep {
  const steps = stepsIn(path, 0).path;
  if (operator === undefined) return { kind: 'filter', path: steps };
  return { kind: 'filter', path: steps, operator, value: JSON.parse(value?.replace(/^'(.*)'$/s, '"$1"') ?? 'null') };
}
