/** The part of a catalog's document that views read, so that the rest is dropped while the catalog is read. Pure. */
import { fieldsOf, isRecord, listOf, type Fields } from '../../api/untyped.ts';
import { iconOf } from './reduce-content.ts';

/** Of `olm.csv.metadata`: the facts for people (bundle-about.ts). */
const ABOUT = [
  'annotations',
  'categories',
  'crdDescriptions',
  'description',
  'displayName',
  'installModes',
  'keywords',
  'links',
  'maintainers',
  'maturity',
  'minKubeVersion',
  'provider',
];
const ANNOTATIONS = ['capabilities', 'categories'];

/** `reduceListing`, `reducePackage` and `withAbout` make the same of it as of the whole document. Never throws. */
export function slimDocument(document: Fields): Fields {
  const { icon, ...rest } = document;
  const found = icon === undefined ? undefined : iconOf(document);
  // That there is an icon is kept, and not its bytes: those of a large catalog are most of it.
  const marked = found === undefined ? rest : { ...rest, icon: { mediatype: found.mediaType, base64data: 'A' } };
  if (rest['schema'] !== 'olm.bundle' || !Array.isArray(rest['properties'])) return marked;
  return { ...marked, properties: slimProperties(rest['properties'] as readonly unknown[]) };
}

/** One `olm.bundle.object` is enough to see that the catalog has the objects. */
function slimProperties(properties: readonly unknown[]): readonly unknown[] {
  const first = properties.findIndex((one) => fieldsOf(one)['type'] === 'olm.bundle.object');
  return properties.flatMap((one, at) => {
    const { type, value } = fieldsOf(one);
    if (type === 'olm.bundle.object') return at === first ? [{ type, value: null }] : [];
    return type === 'olm.csv.metadata' && isRecord(value) ? [{ type, value: slimAbout(value) }] : [one];
  });
}

function slimAbout(value: Fields): Fields {
  const { annotations, crdDescriptions, ...rest } = picked(value, ABOUT);
  return {
    ...rest,
    ...(annotations !== undefined && { annotations: picked(fieldsOf(annotations), ANNOTATIONS) }),
    ...(crdDescriptions !== undefined && { crdDescriptions: { owned: slimKinds(fieldsOf(crdDescriptions)) } }),
  };
}

function slimKinds({ owned }: Fields): readonly Fields[] {
  return listOf(owned).map((one) => picked(one, ['name', 'kind', 'version', 'displayName', 'description']));
}

function picked(value: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name]]));
}
