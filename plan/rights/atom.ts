/**
 * The smallest parts of rights, and whether one is contained in others, by the rules of the API server's authorizers. A
 * rule of RBAC is a product of lists; as its parts it can be compared with any other list of rules. Pure.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
import type { OperatorRight } from './right.ts';
import { UrlPrefixes } from './url-prefixes.ts';

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
      /** Stands for the namespaces and objects that it is limited to; empty for all. */
      readonly selector: string;
    }
  /** A right that has no parts, in words. */
  | { readonly kind: 'stated'; readonly holder: string; readonly right: Omit<OperatorRight, 'holder'> };

/** A part of a tree whose levels are the values of atoms; the last level holds an atom. */
interface Branch {
  readonly next: Map<string, Branch>;
  atom?: Atom;
}

/** A set of atoms that can be asked whether it contains another one. */
export class AtomSet {
  readonly #atoms: Atom[] = [];
  readonly #root: Branch = { next: new Map() };
  /** URLs that end with a wildcard, by holder and verb. */
  readonly #prefixes = new Map<string, UrlPrefixes>();

  constructor(atoms: Iterable<Atom>) {
    for (const atom of atoms) this.#add(atom);
  }

  #add(atom: Atom): void {
    let branch = this.#root;
    for (const value of valuesOf(atom)) {
      const next = branch.next.get(value) ?? { next: new Map() };
      branch.next.set(value, next);
      branch = next;
    }
    if (branch.atom !== undefined) return;
    branch.atom = atom;
    this.#atoms.push(atom);
    if (atom.kind !== 'url' || !atom.url.endsWith('*')) return;
    const slot = slotOf(atom.holder, atom.verb);
    const prefixes = this.#prefixes.get(slot) ?? new UrlPrefixes();
    this.#prefixes.set(slot, prefixes);
    prefixes.add(prefixOf(atom.url));
  }

  /** Each atom once. */
  values(): Iterable<Atom> {
    return this.#atoms;
  }

  /** The equal atom of the set. */
  find(atom: Atom): Atom | undefined {
    let branch: Branch | undefined = this.#root;
    for (const value of valuesOf(atom)) branch = branch?.next.get(value);
    return branch?.atom;
  }

  /** Whether everything that the atom allows is allowed by one of the set. */
  covers(atom: Atom): boolean {
    return this.find(atom) !== undefined || this.coversByAnother(atom);
  }

  /** The same, by one that allows more than the atom. */
  coversByAnother(atom: Atom): boolean {
    const own = this.find(atom);
    for (const found of this.coversOf(atom)) if (found !== own) return true;
    return atom.kind === 'url' && this.#coversUrl(atom);
  }

  /** The atoms of the set that are equal to an atom or differ from it by wildcards in the place of a whole value. */
  *coversOf(atom: Atom): Generator<Atom> {
    yield* atomsBelow(this.#root, widerValues(atom), 0);
  }

  #coversUrl({ holder, url, verb }: Extract<Atom, { kind: 'url' }>): boolean {
    const asked = url.endsWith('*') ? prefixOf(url) : undefined;
    return [verb, '*'].some((one) => {
      const prefix = this.#prefixes.get(slotOf(holder, one))?.widestOf(asked ?? url);
      return prefix !== undefined && (asked !== prefix || one !== verb);
    });
  }
}

/** The atoms that have one of the given values on each level. */
function* atomsBelow(branch: Branch, values: readonly (readonly string[])[], level: number): Generator<Atom> {
  if (level === values.length) return branch.atom === undefined ? undefined : yield branch.atom;
  for (const value of values[level] ?? []) {
    const next = branch.next.get(value);
    if (next !== undefined) yield* atomsBelow(next, values, level + 1);
  }
}

function slotOf(holder: string, verb: string): string {
  return `${holder}\n${verb}`;
}

/** The API server cuts every asterisk at the end. */
function prefixOf(url: string): string {
  return url.replace(/\*+$/, '');
}

/** The values that decide about equality. */
function valuesOf(atom: Atom): readonly string[] {
  const { kind, holder } = atom;
  switch (kind) {
    case 'resource':
      return [kind, holder, atom.scope, atom.group, atom.resource, atom.verb, atom.name];
    case 'url':
      return [kind, holder, atom.url, atom.verb];
    case 'webhook':
      return [kind, holder, atom.effect, atom.group, atom.resource, atom.operation, atom.selector];
    case 'stated':
      return [kind, holder, atom.right.words];
  }
}

/** In the same order, each value with those that include it. */
function widerValues(atom: Atom): readonly (readonly string[])[] {
  const [kind, holder] = [[atom.kind], [atom.holder]];
  switch (atom.kind) {
    case 'resource': {
      const [scope, group, name] = [wider(atom.scope, EVERYWHERE), wider(atom.group, '*'), wider(atom.name, ANY_NAME)];
      return [kind, holder, scope, group, widerResources(atom.resource), wider(atom.verb, '*'), name];
    }
    case 'url':
      return [kind, holder, wider(atom.url, '*'), wider(atom.verb, '*')];
    case 'webhook': {
      const [effect, operation] = [wider(atom.effect, 'change'), wider(atom.operation, '*')];
      const [group, resource] = [wider(atom.group, '*'), widerIntercepted(atom.resource)];
      return [kind, holder, effect, group, resource, operation, wider(atom.selector, '')];
    }
    case 'stated':
      return [kind, holder, [atom.right.words]];
  }
}

function wider(value: string, all: string): readonly string[] {
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
