/** Renders the fields of a structural schema as Markdown tables, for docs/api.md. Pure. */
import type { StructuralSchema } from '../api/crd/schema.ts';
import { children as allBelow, isPodPart } from '../api/crd/structural.ts';
import { canonicalJson } from '../api/json.ts';

/** The nodes directly below. A part of a Pod is one row: its description names the field of a Pod. */
function children(node: StructuralSchema): ReturnType<typeof allBelow> {
  return isPodPart(node) ? [] : allBelow(node);
}

/** An object with more fields below it than this gets a table of its own. */
const OWN_TABLE = 30;

interface Row {
  readonly path: string;
  readonly node: StructuralSchema;
  readonly required: boolean;
  /** Where the same fields are listed already; they are not listed twice. */
  readonly sameAs?: string;
}

interface Table {
  readonly path: string;
  readonly rows: readonly Row[];
}

/** Headings and tables of all fields below `node`, which is known as `path`. */
export function renderFieldTables(node: StructuralSchema, path: string): readonly string[] {
  return collectTables({ path, node, required: true }, new Map()).flatMap((table) => [
    `### ${table.path}`,
    markdownTable(['field', 'type', 'default', 'meaning'], table.rows.map(renderRow)),
  ]);
}

/** A Markdown table; cells may contain anything. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows.map((cells) => cells.map(cell))].map(tableLine).join('\n');
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
}

/** The table of `top`, then one for each field below that is too large to be listed inside. */
function collectTables(top: Row, seen: Map<string, string>): readonly Table[] {
  const rows: Row[] = [];
  const large: Row[] = [];
  collectRows(top, { rows, large, seen, root: top.path });
  const below = large.flatMap((row) => collectTables({ ...row, path: `${top.path}.${row.path}` }, seen));
  return [{ path: top.path, rows }, ...below];
}

interface Collected {
  readonly rows: Row[];
  readonly large: Row[];
  readonly seen: Map<string, string>;
  readonly root: string;
}

function collectRows(parent: Row, to: Collected): void {
  const isTop = parent.path === to.root;
  for (const [name, node] of children(parent.node)) {
    const path = joinPath(isTop ? '' : parent.path, name);
    const row = { path, node, required: parent.node.required?.includes(name) === true };
    if (name === '[]' || name === '*') collectRows(row, to);
    else collectRow(row, to);
  }
}

function collectRow(row: Row, to: Collected): void {
  const sameAs = lookUp(row, to);
  to.rows.push(sameAs === undefined ? row : { ...row, sameAs });
  if (sameAs !== undefined) return;
  if (countBelow(row.node) > OWN_TABLE) to.large.push({ ...row, path: row.node.items ? `${row.path}[]` : row.path });
  else collectRows(row, to);
}

/** Where fields equal to those of `row` were listed before, if they were; from now on they were. */
function lookUp({ node, path }: Row, { seen, root }: Collected): string | undefined {
  if (countBelow(node) < 2) return undefined;
  const key = canonicalJson(children(node));
  const before = seen.get(key);
  if (before === undefined) seen.set(key, `${root}.${path}`);
  return before;
}

/** `config` + `env` → `config.env`; `env` + `[]` → `env[]`. */
export function joinPath(parent: string, name: string): string {
  return name === '[]' || parent === ''
    ? `${parent}${name === '[]' && parent === '' ? '' : name}`
    : `${parent}.${name}`;
}

function countBelow(node: StructuralSchema): number {
  return children(node).reduce((sum, [, child]) => sum + 1 + countBelow(child), 0);
}

function renderRow({ path, node, required, sameAs }: Row): readonly string[] {
  const name = required ? `**\`${path}\`**` : `\`${path}\``;
  const meaning = [node.description ?? '', sameAs === undefined ? '' : `Fields as in \`${sameAs}\`.`];
  return [name, typeName(node), defaultText(node['default']), meaning.filter((part) => part !== '').join(' ')];
}

function defaultText(value: unknown): string {
  const isEmpty =
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return isEmpty ? '' : `\`${JSON.stringify(value).replaceAll('"', '')}\``;
}

function typeName(node: StructuralSchema): string {
  if (node['x-kubernetes-int-or-string'] === true) return 'integer or string';
  if (node.items) return `list of ≤ ${String(node['maxItems'])}${plainItem(node.items)}`;
  if (node.additionalProperties) {
    return `map of ≤ ${String(node['maxProperties'])}${plainItem(node.additionalProperties)}`;
  }
  if (Array.isArray(node['enum'])) return node['enum'].map((word) => `\`${String(word)}\``).join(' | ');
  if (node.type === 'integer') return `integer${bounds(node['minimum'], node['maximum'])}`;
  if (node['format'] === 'date-time') return 'time';
  return node.type === 'string' ? `string ≤ ${String(node['maxLength'])}` : (node.type ?? '');
}

function plainItem(item: StructuralSchema): string {
  return children(item).length > 0 ? '' : `, each ${typeName(item)}`;
}

function bounds(minimum: unknown, maximum: unknown): string {
  return maximum === Number.MAX_SAFE_INTEGER ? '' : ` ${String(minimum)} … ${String(maximum)}`;
}
