/** Rules about a CRD apart from its schemas. */
import type { Change, CrdRule } from '../rule.ts';
import type { Crd } from '../schema.ts';

/** The API server accepts no change of scope. */
const scopeRule: CrdRule = {
  name: 'scope',
  meaning: 'Objects move into or out of namespaces.',
  compare: (old, next): Change[] =>
    old.scope === next.scope ? [] : [{ effect: 'rejects', message: `the scope ${old.scope} becomes ${next.scope}` }],
};

/** Objects would remain under a kind that no client requests. */
const kindRule: CrdRule = {
  name: 'kind',
  meaning: 'Objects get another kind.',
  compare: (old, next): Change[] =>
    old.kind === next.kind ? [] : [{ effect: 'rejects', message: `the kind ${old.kind} becomes ${next.kind}` }],
};

/** The API server rejects the removal of a version in which objects may be stored. */
const storedVersionRule: CrdRule = {
  name: 'storedVersionRemoval',
  meaning: 'A version is gone in which objects may be stored.',
  compare(old, next): Change[] {
    const left = new Set(next.versions.map(({ name }) => name));
    const gone = old.storedVersions.filter((version) => !left.has(version));
    return gone.map((version) => ({ effect: 'loses', message: `objects may be stored as ${version}, which is gone` }));
  },
};

/** Objects stay, but clients and owner references that use the version no longer find them. */
const servedVersionRule: CrdRule = {
  name: 'servedVersionRemoval',
  meaning: 'A version is no longer served.',
  compare(old, next): Change[] {
    const left = servedOf(next);
    const gone = [...servedOf(old)].filter((version) => !left.has(version));
    return gone.map((version) => ({ effect: 'alters', message: `${version} is no longer served` }));
  },
};

function servedOf({ versions }: Crd): ReadonlySet<string> {
  return new Set(versions.filter(({ served }) => served).map(({ name }) => name));
}

/** Without the webhook, an object of another version loses the fields that the read or stored version does not have. */
const conversionRule: CrdRule = {
  name: 'conversion',
  meaning: 'Versions are no longer converted by a webhook.',
  compare(old, next): Change[] {
    const versions = new Set([...next.versions.map(({ name }) => name), ...old.storedVersions]);
    if (old.conversion !== 'Webhook' || next.conversion === 'Webhook' || versions.size < 2) return [];
    return [{ effect: 'loses', message: `${[...versions].join(', ')} are no longer converted by a webhook` }];
  },
};

export const crdRules: readonly CrdRule[] = [scopeRule, kindRule, storedVersionRule, servedVersionRule, conversionRule];
