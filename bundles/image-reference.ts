/** Whether a text can be the reference of an image; oci/ parses references in full, bundles and catalogs only judge them. */

const PATH = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
const HOST =
  /^(?:(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGESTS: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };
const MAX_NAME = 255;

/**
 * The problem with an image reference; undefined if there is none. It continues the sentence "the image … is invalid:".
 * @see https://github.com/distribution/reference
 */
export function imageProblem(text: string): string | undefined {
  const [name = '', digest, ...more] = text.split('@');
  if (more.length > 0) return 'it has more than one "@"';
  if (digest !== undefined) {
    const problem = digestProblem(digest);
    if (problem !== undefined) return problem;
  }
  const slash = name.lastIndexOf('/');
  const colon = name.indexOf(':', slash + 1);
  const repository = colon < 0 ? name : name.slice(0, colon);
  if (colon >= 0 && !TAG.test(name.slice(colon + 1))) return 'its tag is malformed';
  if (repository.length > MAX_NAME) return `its name is longer than ${MAX_NAME} characters`;
  if (/^[0-9a-f]{64}$/.test(repository)) return 'its name looks like an identifier';
  const [first = '', ...rest] = repository.split('/');
  const hasHost = rest.length > 0 && (/[.:[]/.test(first) || first === 'localhost' || first.toLowerCase() !== first);
  if (hasHost && !HOST.test(first)) return 'its host is malformed';
  const path = hasHost ? rest : [first, ...rest];
  return path.every((part) => PATH.test(part)) ? undefined : 'its name is malformed';
}

function digestProblem(digest: string): string | undefined {
  const [algorithm = '', hex = '', ...more] = digest.split(':');
  const length = Object.hasOwn(DIGESTS, algorithm) ? DIGESTS[algorithm] : undefined;
  if (length === undefined) return `its digest is of the unknown kind "${algorithm}"`;
  return more.length === 0 && hex.length === length && /^[0-9a-f]+$/.test(hex) ? undefined : 'its digest is malformed';
}
