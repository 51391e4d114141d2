/** Names from bundles may hold anything; a plan prints them without an effect on a terminal or a merge request. */
import { describe, expect, test } from 'vitest';
import { sample } from '../../../apply/testing/sample-objects.ts';
import { prepareObjects } from '../../../apply/prepare.ts';
import { planChange } from '../../../plan/plan.ts';
import { asBlock, asCode } from '../output/markdown.ts';
import { printMarkdown } from './markdown.ts';
import type { PlanReport } from './report.ts';
import { printText } from './text.ts';

const HOSTILE = [
  { because: 'an escape sequence clears the screen', text: '\u001B[2Jsecrets' },
  { because: 'a line break begins a heading', text: 'x\n# Approved by security' },
  { because: 'a mention calls a person', text: '@admin' },
  { because: 'a link leads elsewhere', text: '[click](https://evil.example)' },
  { because: 'an image reports the reader', text: '![x](https://evil.example/pixel)' },
  { because: 'HTML closes the fold', text: '</details><script>alert(1)</script>' },
  { because: 'a backtick ends code', text: 'a` **bold** `b' },
  { because: 'many backticks end a block', text: '```\n# heading\n````' },
  { because: 'only backticks', text: '`' },
  { because: 'a mark turns the direction of writing', text: 'abc\u202Edef' },
];

function reportWith(text: string): PlanReport {
  const rbac = 'rbac.authorization.k8s.io';
  const pod = { containers: [{ name: text, image: text }] };
  const objects = [
    sample('v1', 'ServiceAccount', 'robot', { namespace: 'ops' }),
    sample(`${rbac}/v1`, 'ClusterRole', text, { rules: [{ apiGroups: [text], resources: [text], verbs: [text] }] }),
    sample(`${rbac}/v1`, 'ClusterRoleBinding', text, {
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: text },
      subjects: [
        { kind: 'ServiceAccount', name: 'robot', namespace: 'ops' },
        { kind: 'Group', name: text },
      ],
    }),
    sample('v1', 'Pod', text, { namespace: 'ops', spec: pod }),
  ];
  const owner = { namespace: 'ops', name: 'x' };
  const side = (version: string, of: typeof objects) => ({
    bundle: text,
    version,
    objects: prepareObjects(of, { owner, package: 'x', revision: 'x', installNamespace: 'ops' }),
    properties: [{ type: 'olm.package.required', value: { packageName: text, versionRange: text } }],
  });
  const plan = planChange({ package: text, subscription: 'ops/x', from: side(text, []), to: side('1.0.0', objects) });
  return {
    subscription: text,
    package: text,
    message: text,
    plans: [plan],
    denied: [{ rule: 'high', messages: [text] }],
  };
}

/** Markdown without its code: the part that a site interprets. */
function withoutCode(markdown: string): string {
  return markdown
    .replaceAll(/^(`{3,})text\n[\s\S]*?\n\1$/gm, 'BLOCK')
    .replaceAll(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, 'CODE');
}

describe.each(HOSTILE)('hostile text is harmless: $because', ({ text }) => {
  test('as text', () => {
    const printed = printText(reportWith(text));
    expect(printed).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
    expect(printed).not.toMatch(/^# /m);
  });

  test('as Markdown', () => {
    const printed = printMarkdown(reportWith(text));
    expect(printed).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
    const interpreted = withoutCode(printed);
    expect(interpreted).not.toMatch(/@|\]\(|<script|https?:|heading|Approved|bold/);
    const lines = interpreted.split('\n').filter((line) => line !== '');
    const known =
      /^(?:### Slipway plan: CODE, risk \w+|\*\*Denied by [\w-]+\*\*|- (?:\*\*\w+\*\*: )?CODE|For CODE\. .*|<details><summary>[\w ]+: [\w, ]+<\/summary>|BLOCK|<\/details>|Plan CODE)$/;
    expect(lines.filter((line) => !known.test(line))).toEqual([]);
  });
});

test.each([
  { text: 'plain', code: '`plain`' },
  { text: 'a`b', code: '``a`b``' },
  { text: '`a', code: '`` `a ``' },
  { text: 'a\nb', code: '`a b`' },
  { text: '', code: '' },
])('$text as code is $code', ({ text, code }) => {
  expect(asCode(text)).toBe(code);
});

test('a block of code has a fence that no line can end', () => {
  expect(asBlock(['a', '  ````', 'b'])).toBe('`````text\na\n  ````\nb\n`````');
});
