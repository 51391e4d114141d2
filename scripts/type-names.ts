/** Finds the top-level types and functions of source text, by name: exported or not. */

/** A type, interface, class or function that a file declares at its top level. */
export interface Declared {
  readonly name: string;
  readonly path: string;
}

/** The top-level types of a file; names that it only passes on from another file are not among them. */
export function typesIn(path: string, text: string): readonly Declared[] {
  const declared = text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .matchAll(/^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class) (\w+)(?=[\s<={])/gm);
  return [...declared].map(([, name = '']) => ({ name, path }));
}

/** The top-level functions of a file. */
export function functionNamesIn(path: string, text: string): readonly Declared[] {
  const declared = text.matchAll(/^(?:export )?(?:async )?function\*? (\w+)/gm);
  return [...declared].map(([, name = '']) => ({ name, path }));
}

/** The names that several files declare, each with its files. */
export function sharedNames(types: readonly Declared[]): readonly string[] {
  return [...Map.groupBy(types, ({ name }) => name)]
    .map(([name, found]) => ({ name, paths: [...new Set(found.map(({ path }) => path))] }))
    .filter(({ paths }) => paths.length > 1)
    .map(({ name, paths }) => `${name}: ${paths.join(', ')}`)
    .sort();
}
