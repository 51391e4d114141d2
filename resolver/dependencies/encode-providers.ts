/** Writes that at most one package provides a kind; packages that already provide it side by side stay. */
import type { ClauseWriter } from './clause-writer.ts';
import type { Option, PackageNode, Universe } from './model.ts';

/** Writes the demand for every kind that several packages provide. */
export function encodeProviders(writer: ClauseWriter): void {
  for (const [key, nodes] of providersByKind(writer.universe))
    if (nodes.length >= 2 && writer.selectors.counts(`kind ${key}`)) encodeProvider(key, nodes, writer);
}

/** Goes through the providers, those of the cluster first; `before` holds if one of those so far is chosen. */
function encodeProvider(key: string, nodes: readonly PackageNode[], writer: ClauseWriter): void {
  const { universe, selectors, literals } = writer;
  const { solver } = literals;
  const provides = (name: string): boolean => universe.current.get(name)?.kinds.has(key) === true;
  const ordered = nodes.toSorted((a, b) => Number(provides(b.name)) - Number(provides(a.name)));
  const only = selectors.selector(`kind ${key}`, () => ({
    kind: 'provider',
    gvk: kindOf(key),
    packages: ordered.map(({ name }) => name),
  }));
  let before: number | undefined;
  for (const node of ordered) {
    const upToHere = solver.addVariable();
    if (before !== undefined) solver.addClause([-before, upToHere]);
    for (const option of node.active) {
      if (!option.kinds.has(key) || isGuest(option, node)) continue;
      const chosen = literals.variableOf(option);
      solver.addClause([-chosen, upToHere]);
      if (before !== undefined && !provides(node.name)) solver.addClause([-only, -chosen, -before]);
    }
    before = upToHere;
  }
}

/** Whether a Subscription without a say here has installed the option: it rules out no other provider. */
function isGuest({ bundle, unread }: Option, { installed }: PackageNode): boolean {
  return bundle === undefined && unread !== true && installed === undefined;
}

function providersByKind({ packages }: Universe): ReadonlyMap<string, readonly PackageNode[]> {
  const providers = new Map<string, PackageNode[]>();
  for (const node of packages.values()) {
    const keys = new Set<string>();
    for (const { kinds } of node.active) for (const key of kinds) keys.add(key);
    for (const key of keys) {
      const nodes = providers.get(key);
      if (nodes === undefined) providers.set(key, [node]);
      else nodes.push(node);
    }
  }
  return providers;
}

function kindOf(key: string): { readonly group: string; readonly version: string; readonly kind: string } {
  const [kind = '', version = '', ...group] = key.split('.');
  return { group: group.join('.'), version, kind };
}
