/** Finds functions that are written more than once: equal but for spaces and for the names of the functions and their parameters. */
import { parseAst } from 'vitest/node';

/** A declared function of a file. */
export interface DeclaredFunction {
  /** `oci/digest.ts: digestOf` */
  readonly at: string;
  /** The body in one form for all spellings: parameters by number, and no spaces. */
  readonly body: string;
}

interface Declaration {
  readonly type: string;
  readonly declaration?: Declaration | null;
  readonly id?: { readonly name: string };
  readonly params?: readonly { readonly type: string; readonly name?: string }[];
  readonly body?: { readonly start: number; readonly end: number } | null;
}

/** The functions that a TypeScript file declares at its top level. */
export function declaredFunctions(path: string, source: string): readonly DeclaredFunction[] {
  const { body } = parseAst(source, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' });
  return (body as unknown as readonly Declaration[]).flatMap((statement) => {
    const { type, id, params = [], body: own } = statement.declaration ?? statement;
    if (type !== 'FunctionDeclaration' || id === undefined || own === undefined || own === null) return [];
    const text = source.slice(own.start, own.end).replaceAll(/\/\*[\s\S]*?\*\/|(?<=[\s;{])\/\/.*/g, '');
    return [{ at: `${path}: ${id.name}`, body: params.reduce(withNumber, text).replaceAll(/\s+|,(?=\s*[)\]}])/g, '') }];
  });
}

function withNumber(text: string, { name }: { readonly name?: string }, at: number): string {
  return name === undefined ? text : text.replaceAll(new RegExp(`(?<![.\\w$])${name}(?![\\w$])`, 'g'), `$${at}`);
}

/** Groups of functions with the same body, of those with at least so many characters; sorted. */
export function equalFunctions(functions: readonly DeclaredFunction[], least: number): readonly string[] {
  return [...Map.groupBy(functions, ({ body }) => body)]
    .filter(([body, found]) => body.length >= least && found.length > 1)
    .map(([, found]) =>
      found
        .map(({ at }) => at)
        .sort()
        .join(', '),
    )
    .sort();
}
