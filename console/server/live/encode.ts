/** States of views as server-sent events. Pure. */
import { createHash } from 'node:crypto';
import { formatJson } from '../../../api/json.ts';
import type { Problem } from '../../data/view.ts';
import type { ProblemStatus } from '../problem.ts';
import type { LiveEvent } from './event-stream.ts';

/** The answer to the question of a view: its model, or why there is none. */
export type ViewAnswer = { readonly model: unknown } | { readonly problem: Problem; readonly status: ProblemStatus };

function textOf(value: unknown): string {
  const text = formatJson(value) as string | undefined;
  if (text === undefined) throw new TypeError('a view has no model');
  return text;
}

/** The same bytes for the same answer. A problem has no resumable id: a browser that had the view needs it again after it. @throws TypeError if the model cannot be written */
export function encodeAnswer(answer: ViewAnswer): LiveEvent {
  const isView = 'model' in answer;
  const data = textOf(isView ? answer.model : answer.problem);
  const id = createHash('sha256').update(data).digest('base64url').slice(0, 22);
  const head = isView ? `event: view\nid: ${id}\n` : 'event: problem\nid\n';
  return { id: isView ? id : `problem ${id}`, bytes: Buffer.from(`${head}data: ${data}\n\n`) };
}
