import { canonicalJson } from '../../../api/json.ts';
import type { Change, NodePair, NodeRule } from '../rule.ts';
import { isAbsent } from '../schema.ts';

/**
 * Keywords that no other rule understands, including future ones: a change counts as dangerous, since its effect is
 * unknown. `handled` are the keywords of the other rules.
 */
export function otherKeywordsRule(handled: ReadonlySet<string>): NodeRule {
  return {
    name: 'otherKeywords',
    meaning: 'A keyword changes whose effect is not known.',
    keywords: ['multipleOf', 'uniqueItems'],
    compare({ old, next }: NodePair): Change[] {
      const keywords = [...new Set([...Object.keys(old), ...Object.keys(next)])].filter(
        (keyword) => !handled.has(keyword),
      );
      return keywords
        .filter((keyword) => canonicalJson(old[keyword] ?? null) !== canonicalJson(next[keyword] ?? null))
        .map((keyword) => ({
          effect: isAbsent(next[keyword]) ? 'none' : 'rejects',
          message: `${keyword} changes`,
        }));
    },
  };
}
