/** Whether a Catalog may be used in a namespace, by `spec.allowedNamespaces` and the labels of the namespace. Pure. */
import type { Catalog } from '../api/catalog.ts';
import { describeUnmet, selectorProblem } from './selector.ts';

/** The namespace of a Subscription; without labels if they are not known yet. */
export interface NamespaceFacts {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/**
 * Why the Catalog may not be used in the namespace and who can change that, as the rest of a sentence; undefined if it
 * may be used. An invalid selector selects no namespace.
 */
export function whyNotAllowed({ spec, metadata }: Catalog, namespace: NamespaceFacts): string | undefined {
  const selector = spec.allowedNamespaces;
  if (selector === undefined) return undefined;
  const problem = selectorProblem(selector);
  if (problem !== undefined)
    return `its spec.allowedNamespaces selects no namespace, since ${problem}: an administrator has to correct Catalog ${metadata.name}`;
  const unmet = describeUnmet(selector, namespace.labels);
  if (unmet.length === 0) return undefined;
  return `its spec.allowedNamespaces asks for the labels ${unmet.join(', ')}, which namespace ${namespace.name} does not have: an administrator can label the namespace, or change Catalog ${metadata.name}`;
}
