import { canonicalJson } from '../../../api/json.ts';
import type { Change, NodePair, NodeRule } from '../rule.ts';

/** Keywords that only people read. */
export const DOCUMENTATION: readonly string[] = ['description', 'title', 'example', 'externalDocs', 'id', '$schema'];

/** No machine reads the change; it is reported so that a plan can show it. */
export const documentationRule: NodeRule = {
  name: 'documentation',
  meaning: 'The description of a field changes.',
  keywords: DOCUMENTATION,
  compare({ old, next }: NodePair): Change[] {
    return DOCUMENTATION.filter((keyword) => differ(old[keyword], next[keyword])).map((keyword) => ({
      effect: 'none',
      message: `the ${keyword} changes`,
    }));
  },
};

function differ(old: unknown, next: unknown): boolean {
  return old !== next && canonicalJson(old ?? '') !== canonicalJson(next ?? '');
}
