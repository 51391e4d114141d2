/**
 * Which namespaces a Catalog serves, by its `allowedNamespaces` and the labels of namespaces, which are read as the person.
 * Pure.
 */
import type { Catalog } from '../../api/catalog.ts';
import { namespaceName } from '../../api/fields.ts';
import { whyNotAllowed } from '../../resolver/allowed.ts';
import { describeSelector } from '../../resolver/selector.ts';
import type { Answer, ObjectAsk, ReadObject } from './ask.ts';
import type { Notice } from './models.ts';
import { line } from './text.ts';

/** Namespaces of one page; a package is installed in more of them seldom. */
const MOST_NAMESPACES = 20;

const Name = namespaceName();

/** Reads the namespaces if their labels decide. The names may come from a browser: one that cannot be is left out. */
export function namespaceAsks(catalogs: readonly Catalog[], namespaces: readonly string[]): readonly ObjectAsk[] {
  if (!catalogs.some(({ spec }) => spec.allowedNamespaces !== undefined)) return [];
  const names = [...new Set(namespaces)].filter((name) => Name.safeParse(name).success);
  return names.slice(0, MOST_NAMESPACES).map((name) => ({
    ref: { apiVersion: 'v1', kind: 'Namespace', name, served: { plural: 'namespaces', namespaced: false } },
  }));
}

/** The answers about namespaces, each by its name. */
export class ServedNamespaces {
  readonly #answers: ReadonlyMap<string, Answer<ReadObject>>;

  /** @param asks The questions, in the order of their answers */
  constructor(asks: readonly ObjectAsk[], answers: readonly Answer<ReadObject>[] = []) {
    this.#answers = new Map(
      asks.flatMap(({ ref }, at) => (answers[at] === undefined ? [] : [[ref.name, answers[at]]])),
    );
  }

  /** Why the Catalog does not serve the namespace, in the words of the manager; undefined if it does, or if that is not known. */
  whyNot(catalog: Catalog, namespace: string): string | undefined {
    const answer = this.#answers.get(namespace);
    // A namespace that does not exist is none that the Catalog refuses: the API server says that it is missing.
    if (answer === undefined || 'failure' in answer || answer.value.object === undefined) return undefined;
    return whyNotAllowed(catalog, { name: namespace, labels: answer.value.object.metadata.labels });
  }

  /**
   * One sentence for each namespace that is not served, or whose labels could not be read, and one for all namespaces that were
   * not asked about.
   */
  notices(catalog: Catalog, namespaces: readonly string[]): readonly Notice[] {
    const names = [...new Set(namespaces)];
    const labels = labelsOf(catalog);
    if (labels === undefined) return [];
    const served = `Catalog ${catalog.metadata.name} serves only namespaces with the labels ${labels}`;
    const skipped = names.filter((name) => !this.#answers.has(name) && Name.safeParse(name).success).length;
    return [
      ...names.flatMap((name) => this.#noticesOf(catalog, name, served)),
      ...(skipped === 0
        ? []
        : [unknown(`${served}; the labels of ${skipped} more namespaces are not read for this page`)]),
    ];
  }

  #noticesOf(catalog: Catalog, namespace: string, served: string): readonly Notice[] {
    const why = this.whyNot(catalog, namespace);
    if (why !== undefined) return [{ tone: 'waiting', text: line(sentenceOf(catalog, namespace, why)) }];
    const answer = this.#answers.get(namespace);
    if (answer === undefined || 'value' in answer) return [];
    return [unknown(`${served}; whether namespace ${namespace} has them cannot be read: ${answer.failure.message}`)];
  }
}

function unknown(text: string): Notice {
  return { tone: 'unknown', text: line(text) };
}

/** `tier=gold, team in (a,b)`; undefined if the Catalog serves all namespaces. */
export function labelsOf({ spec }: Catalog): string | undefined {
  const words = spec.allowedNamespaces === undefined ? [] : describeSelector(spec.allowedNamespaces);
  return words.length === 0 ? undefined : words.join(', ');
}

export function sentenceOf({ metadata }: Catalog, namespace: string, why: string): string {
  return `Catalog ${metadata.name} does not serve namespace ${namespace}: ${why}`;
}
