/** The one place where catalog/ reads YAML. */
import {
  FAILSAFE_SCHEMA,
  NOT_RESOLVED,
  binaryTag,
  boolYaml11Tag,
  defineScalarTag,
  loadAll,
  mergeTag,
  nullYaml11Tag,
} from 'js-yaml';

const INTEGER = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;

const intTag = defineScalarTag('tag:yaml.org,2002:int', {
  implicit: true,
  implicitFirstChars: [...'-+0123456789'],
  resolve: resolveInteger,
  identify: () => false,
});
const floatTag = defineScalarTag('tag:yaml.org,2002:float', {
  implicit: true,
  implicitFirstChars: [...'-+.0123456789'],
  resolve: (text: string) => {
    const plain = text.replaceAll('_', '');
    return FLOAT.test(plain) ? Number(plain) : NOT_RESOLVED;
  },
  identify: () => false,
});
const SCHEMA = FAILSAFE_SCHEMA.withTags(nullYaml11Tag, boolYaml11Tag, intTag, floatTag, mergeTag, binaryTag);

/** The documents of a YAML text, as Kubernetes tools read them. Throws where the text is no YAML. */
export function parseYaml(text: string): unknown[] {
  return loadAll(text, {
    schema: SCHEMA,
    json: true,
    maxAliases: 1000,
    maxDepth: 200,
  } as object) as unknown as unknown[];
}

function resolveInteger(text: string): number | bigint | typeof NOT_RESOLVED {
  const match = INTEGER.exec(text.replaceAll('_', ''));
  if (match === null) return NOT_RESOLVED;
  const [, sign, hex, binary, octal, decimal] = match;
  const size = BigInt(
    hex !== undefined
      ? `0x${hex}`
      : binary !== undefined
        ? `0b${binary}`
        : octal !== undefined
          ? `0o${octal}`
          : decimal!,
  );
  const value = sign === '-' ? -size : size;
  if (value > 18446744073709551615n || value < -9223372036854775808n) return NOT_RESOLVED;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
