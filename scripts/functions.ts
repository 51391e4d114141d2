/**
 * Measures the functions of a source file: how long each one is, and how many variables it shares with its inner
 * functions. functions.test.ts keeps both small: such a closure is a class that does not say so.
 */
import { parseAst } from 'vitest/node';

export interface FunctionFacts {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
  /** The `let` variables of the function that its inner functions read or write. */
  readonly shared: readonly string[];
}

/** The functions of a TypeScript file, methods and inner functions included; `tsx` if it has elements of pages in it. */
export function functionsIn(source: string, lang: 'ts' | 'tsx' = 'ts'): readonly FunctionFacts[] {
  const lineOf = (offset: number): number => source.slice(0, offset).split('\n').length;
  return [...functionsBelow(parseAst(source, { lang }) as unknown as Node)].map(({ node, name }) => ({
    name,
    line: lineOf(node.start),
    lines: lineOf(node.end) - lineOf(node.start) + 1,
    shared: sharedBy(node),
  }));
}

/** A node of the syntax tree in the form of ESTree, as far as it is read here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

/** Children that are names of members or types, and so refer to no variable. */
const NO_REFERENCES: ReadonlySet<string> = new Set([
  'typeAnnotation',
  'typeParameters',
  'typeArguments',
  'returnType',
  'label',
]);

function* functionsBelow(node: Node, name = '(inline)'): Generator<{ readonly node: Node; readonly name: string }> {
  if (FUNCTIONS.has(node.type)) yield { node, name: nameOf(node) ?? name };
  for (const child of childrenOf(node)) yield* functionsBelow(child, nameOf(node) ?? name);
}

/** The name that a node gives to the function in it, or to itself. */
function nameOf({ id, key }: Node): string | undefined {
  const named = (id ?? key) as Partial<Record<'name', unknown>> | null | undefined;
  return typeof named?.name === 'string' ? named.name : undefined;
}

function sharedBy(node: Node): readonly string[] {
  const own = new Set(variablesOf(node, 'let'));
  const used = new Set([...innerFunctionsOf(node)].flatMap((inner) => [...freeNamesOf(inner)]));
  return [...own].filter((name) => used.has(name));
}

/** The functions directly below a node, without those inside of them. */
function* innerFunctionsOf(node: Node): Generator<Node> {
  for (const child of childrenOf(node)) {
    if (FUNCTIONS.has(child.type)) yield child;
    else yield* innerFunctionsOf(child);
  }
}

/** The names that a function uses and does not declare. */
function freeNamesOf(node: Node): ReadonlySet<string> {
  const declared = new Set(variablesOf(node));
  const names = [...referencesOf(node)].concat([...innerFunctionsOf(node)].flatMap((inner) => [...freeNamesOf(inner)]));
  return new Set(names.filter((name) => !declared.has(name)));
}

/** The names that a function mentions outside of its inner functions. */
function* referencesOf(node: Node): Generator<string> {
  for (const child of childrenOf(node)) {
    if (child.type === 'Identifier') yield child['name'] as string;
    if (!FUNCTIONS.has(child.type)) yield* referencesOf(child);
  }
}

/** The names that a function declares, outside of its inner functions; its parameters count if no kind is given. */
function variablesOf(node: Node, kind?: 'let'): readonly string[] {
  const parameters = kind === undefined && Array.isArray(node['params']) ? (node['params'] as readonly Node[]) : [];
  return [...parameters.flatMap(namesIn), ...declaredBelow(node, kind)];
}

function declaredBelow(node: Node, kind: 'let' | undefined): readonly string[] {
  return childrenOf(node).flatMap((child) => {
    if (FUNCTIONS.has(child.type)) return kind === undefined ? (nameOf(child) ?? []) : [];
    const counts = child.type === 'VariableDeclaration' && (kind === undefined || child['kind'] === kind);
    const names = counts ? (child['declarations'] as readonly Node[]).flatMap(({ id }) => namesIn(id as Node)) : [];
    return [...names, ...declaredBelow(child, kind)];
  });
}

/** The names that a pattern binds. */
function namesIn(pattern: Node): readonly string[] {
  if (pattern.type === 'Identifier') return [pattern['name'] as string];
  if (pattern.type === 'AssignmentPattern') return namesIn(pattern['left'] as Node);
  return childrenOf(pattern).flatMap(namesIn);
}

/** The nodes below a node that can hold code: names of members and types are left out. */
function childrenOf(node: Node): readonly Node[] {
  return Object.entries(node).flatMap(([field, value]) => {
    const isName = (field === 'property' || field === 'key') && node['computed'] !== true;
    if (isName || NO_REFERENCES.has(field)) return [];
    return (Array.isArray(value) ? value : [value]).filter(isNode);
  });
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}
