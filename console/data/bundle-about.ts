/** The facts for people that a bundle's document in a catalog states in `olm.csv.metadata`. Pure. */
import { fieldsOf, isRecord, itemsOf, listOf, textOf, type Fields } from '../../api/untyped.ts';
import type { BundleAbout } from './content.ts';
import { beginningOf } from '../../apply/short-text.ts';

const ABOUT_LIMITS = { description: 100_000, texts: 50, kinds: 200, line: 1000 } as const;

/** Undefined if the document has no such property: a catalog may carry the objects of the bundle instead. */
export function bundleAbout(document: Fields): BundleAbout | undefined {
  const property = listOf(document['properties']).find(({ type }) => type === 'olm.csv.metadata');
  if (!isRecord(property?.['value'])) return undefined;
  const csv = property['value'];
  const annotations = fieldsOf(csv['annotations']);
  return {
    ...optional('title', textOf(csv['displayName']), ABOUT_LIMITS.line),
    ...optional('provider', textOf(fieldsOf(csv['provider'])['name']), ABOUT_LIMITS.line),
    ...optional('description', textOf(csv['description']), ABOUT_LIMITS.description),
    ...optional('maturity', textOf(csv['maturity']), ABOUT_LIMITS.line),
    ...optional('capabilities', textOf(annotations['capabilities']), ABOUT_LIMITS.line),
    ...optional('minKubeVersion', textOf(csv['minKubeVersion']), ABOUT_LIMITS.line),
    categories: splitList(textOf(annotations['categories'])),
    keywords: texts(csv['keywords']),
    links: listOf(csv['links'])
      .slice(0, ABOUT_LIMITS.texts)
      .map(({ name, url }) => ({ name: short(textOf(name)), url: short(textOf(url)) })),
    maintainers: listOf(csv['maintainers'])
      .slice(0, ABOUT_LIMITS.texts)
      .map(({ name, email }) => short([textOf(name), textOf(email)].filter(Boolean).join(', '))),
    installModes: listOf(csv['installModes'])
      .filter(({ supported }) => supported === true)
      .slice(0, ABOUT_LIMITS.texts)
      .map(({ type }) => short(textOf(type))),
    provides: providedBy(csv),
  };
}

function providedBy(csv: Fields): BundleAbout['provides'] {
  return listOf(fieldsOf(csv['crdDescriptions'])['owned'])
    .slice(0, ABOUT_LIMITS.kinds)
    .map(({ name, kind, version, displayName, description }) => ({
      kind: short(textOf(kind)),
      group: short(textOf(name).split('.').slice(1).join('.')),
      version: short(textOf(version)),
      ...optional('title', textOf(displayName), ABOUT_LIMITS.line),
      ...optional('description', textOf(description), ABOUT_LIMITS.line),
    }));
}

/** `Database, Big Data` */
function splitList(text: string): readonly string[] {
  const parts = short(text).split(',').map((part) => part.trim()); // prettier-ignore
  return [...new Set(parts.filter((part) => part !== ''))].slice(0, ABOUT_LIMITS.texts);
}

function texts(value: unknown): readonly string[] {
  return itemsOf(value).slice(0, ABOUT_LIMITS.texts).map(textOf).map(short).filter(Boolean); // prettier-ignore
}

function short(text: string): string {
  return beginningOf(text, ABOUT_LIMITS.line);
}

function optional<Name extends string>(name: Name, text: string, most: number): Partial<Record<Name, string>> {
  return text === '' ? {} : ({ [name]: beginningOf(text, most) } as Record<Name, string>);
}
