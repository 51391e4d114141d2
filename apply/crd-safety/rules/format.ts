import { textOf } from '../../../api/untyped.ts';
import type { Change, NodePair, NodeRule } from '../rule.ts';
import type { Schema } from '../schema.ts';
import { checkedFormat } from '../server/formats.ts';

/** For each format, the formats whose values it accepts entirely; '' stands for an unchecked one. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  int64: ['', 'int32'],
  double: ['', 'float'],
  password: [''],
};

function formatOf(schema: Schema): string {
  const type = schema['x-kubernetes-int-or-string'] === true ? '' : textOf(schema['type']);
  return checkedFormat(textOf(schema['format']), type);
}

export const formatRule: NodeRule = {
  name: 'format',
  meaning: 'The format of a text or number changes.',
  keywords: ['format'],
  compare({ old, next }: NodePair): Change[] {
    const [before, after] = [textOf(old['format']), textOf(next['format'])];
    const [checkedBefore, checkedAfter] = [formatOf(old), formatOf(next)];
    // The type can decide whether a format is checked at all.
    if (before === after && checkedBefore === checkedAfter) return [];
    const message = `the format ${before || 'none'} becomes ${after || 'none'}`;
    const isLooser =
      checkedAfter === '' || checkedAfter === checkedBefore || WIDER[checkedAfter]?.includes(checkedBefore);
    return [{ effect: isLooser === true ? 'none' : 'rejects', message }];
  },
};
