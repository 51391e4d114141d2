/** The schema of label selectors in the kinds. */
import * as z from 'zod';
import { list, rules, stringMap, text } from './fields.ts';

/**
 * The schema of a label selector; an empty one selects everything.
 *
 * @param subject The noun of the selected objects, for the documentation.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
export function labelSelector(subject: string) {
  return z.object({
    matchLabels: stringMap(32, 63).optional().describe(`Labels that ${subject} must have.`),
    matchExpressions: list(
      rules(
        z.object({
          key: text(316).describe('Key of the label.'),
          operator: z
            .enum(['In', 'NotIn', 'Exists', 'DoesNotExist'])
            .describe('Comparison of its value with the values.'),
          values: list(z.string().max(63), 32).optional().describe('Values for In and NotIn.'),
        }),
        {
          rule: "(self.operator in ['In', 'NotIn']) == (has(self.values) && self.values.size() > 0)",
          message: 'must have values with In and NotIn, and none with Exists and DoesNotExist',
        },
      ),
      32,
    )
      .optional()
      .describe(`Conditions on labels that ${subject} must meet.`),
  });
}
