/** Draws the tree of a Subscription for a terminal. Pure. */
import { cleanLine } from '../../../report/clean.ts';
import type { TreeNode } from '../../../report/tree-nodes.ts';
import { cutLine } from '../output/layout.ts';

/** The tree as lines; with the columns of a terminal each line is cut to them. */
export function drawTree(root: TreeNode, columns: number = Infinity): string {
  return linesOf(root, '', '')
    .map((line) => `${cutLine(line, columns)}\n`)
    .join('');
}

function linesOf({ name, state, message, children }: TreeNode, first: string, rest: string): readonly string[] {
  const line = `${first}${cleanLine(`${name}: ${state}${message === undefined ? '' : `, ${message}`}`)}`;
  return [
    line,
    ...children.flatMap((child, index) =>
      index === children.length - 1
        ? linesOf(child, `${rest}└─ `, `${rest}   `)
        : linesOf(child, `${rest}├─ `, `${rest}│  `),
    ),
  ];
}
