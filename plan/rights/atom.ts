/**
 * The smallest parts of rights, and whether one is contained in others, by the rules of the API server's authorizers. A
 * rule of RBAC is a product of lists; as its parts it can be compared with any other list of rules. Pure.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
import type { OperatorRight } from './right.ts';

/** Everywhere: every namespace, and objects without a namespace. */
export const EVERYWHERE = '';
/** Wherever a user holds a ClusterRole to which others are aggregated; no namespace has this name. */
export const WHERE_HELD = '/held';
/** Every name of an object. */
export const ANY_NAME = '';

export type Atom =
  | {
      readonly kind: 'resource';
      readonly holder: string;
      /** A namespace, {@link EVERYWHERE} or {@link WHERE_HELD}. */
      readonly scope: string;
      readonly group: string;
      /** `pods`, `pods/exec`, `*`, or an asterisk with a subresource: that of all kinds. */
      readonly resource: string;
      readonly verb: string;
      readonly name: string;
    }
  | { readonly kind: 'url'; readonly holder: string; readonly url: string; readonly verb: string }
  | {
      readonly kind: 'webhook';
      readonly holder: string;
      /** A mutating webhook may reject writes, too. */
      readonly effect: 'change' | 'reject';
      readonly group: string;
      readonly resource: string;
      readonly operation: string;
      /** The namespaces and objects that it is limited to, as JSON; empty for all. */
      readonly selector: string;
    }
  /** A right that has no parts, in words. */
  | { readonly kind: 'stated'; readonly holder: string; readonly right: Omit<OperatorRight, 'holder'> };

/** A set of atoms that can be asked whether it contains another one. */
export class AtomSet {
  readonly #byKey = new Map<string, Atom>();
  /** URLs of a holder and verb that end with a wildcard, without it. */
  readonly #prefixes = new Map<string, string[]>();

  constructor(atoms: Iterable<Atom>) {
    for (const atom of atoms) this.#add(atom);
  }

  #add(atom: Atom): void {
    const key = keyOf(atom);
    if (this.#byKey.has(key)) return;
    this.#byKey.set(key, atom);
    if (atom.kind !== 'url' || !atom.url.endsWith('*')) return;
    const slot = `${atom.holder}\n${atom.verb}`;
    this.#prefixes.set(slot, [...(this.#prefixes.get(slot) ?? []), prefixOf(atom.url)]);
  }

  /** Each atom once. */
  values(): Iterable<Atom> {
    return this.#byKey.values();
  }

  /** Whether everything that the atom allows is allowed by one of the set. */
  covers(atom: Atom): boolean {
    return this.#byKey.has(keyOf(atom)) || this.coversByAnother(atom);
  }

  /** The same, by one that allows more than the atom. */
  coversByAnother(atom: Atom): boolean {
    const own = keyOf(atom);
    for (const wider of generalizations(atom)) {
      const key = keyOf(wider);
      if (key !== own && this.#byKey.has(key)) return true;
    }
    return atom.kind === 'url' && this.#coversUrl(atom);
  }

  #coversUrl({ holder, url, verb }: Extract<Atom, { kind: 'url' }>): boolean {
    const asked = url.endsWith('*') ? prefixOf(url) : undefined;
    return [verb, '*'].some((one) =>
      (this.#prefixes.get(`${holder}\n${one}`) ?? []).some((prefix) =>
        asked === undefined ? url.startsWith(prefix) : asked.startsWith(prefix) && (asked !== prefix || one !== verb),
      ),
    );
  }
}

/** The API server cuts every asterisk at the end. */
function prefixOf(url: string): string {
  return url.replace(/\*+$/, '');
}

function* generalizations(atom: Atom): Generator<Atom> {
  switch (atom.kind) {
    case 'resource':
      for (const scope of wider(atom.scope, EVERYWHERE))
        for (const group of wider(atom.group, '*'))
          for (const resource of widerResources(atom.resource))
            for (const verb of wider(atom.verb, '*'))
              for (const name of wider(atom.name, ANY_NAME)) yield { ...atom, scope, group, resource, verb, name };
      return;
    case 'webhook':
      for (const effect of wider<typeof atom.effect>(atom.effect, 'change'))
        for (const group of wider(atom.group, '*'))
          for (const resource of widerIntercepted(atom.resource))
            for (const operation of wider(atom.operation, '*'))
              for (const selector of wider(atom.selector, ''))
                yield { ...atom, effect, group, resource, operation, selector };
      return;
    case 'url':
      for (const url of wider(atom.url, '*')) for (const verb of wider(atom.verb, '*')) yield { ...atom, url, verb };
      return;
    case 'stated':
      yield atom;
  }
}

function wider<Value extends string>(value: Value, all: Value): readonly Value[] {
  return value === all ? [value] : [value, all];
}

/** `pods/exec` is also allowed by `*` and by `*` with the same subresource. */
function widerResources(resource: string): readonly string[] {
  const slash = resource.indexOf('/');
  const ofAll = slash < 0 ? [] : [`*${resource.slice(slash)}`];
  return [...new Set([resource, ...ofAll, '*'])];
}

/** In the rules of webhooks `*` is without subresources, and `pods/*` is every subresource of one kind. */
function widerIntercepted(resource: string): readonly string[] {
  const [name = '', subresource] = resource.split('/', 2);
  if (subresource === undefined) return [...new Set([resource, '*', '*/*'])];
  return [...new Set([resource, `${name}/*`, `*/${subresource}`, '*/*'])];
}

function keyOf(atom: Atom): string {
  switch (atom.kind) {
    case 'resource':
      return joined('r', atom.holder, atom.scope, atom.group, atom.resource, atom.verb, atom.name);
    case 'url':
      return joined('u', atom.holder, atom.url, atom.verb);
    case 'webhook':
      return joined('w', atom.holder, atom.effect, atom.group, atom.resource, atom.operation, atom.selector);
    case 'stated':
      return joined('s', atom.holder, atom.right.words);
  }
}

/** Distinct for distinct lists, whatever the texts contain. */
function joined(...texts: readonly string[]): string {
  return texts.map((text) => `${text.length}:${text}`).join('');
}
