/** Judges the applied objects: whether all of them work, and whether the operator answers. */
import { refOfEntry } from '../../../apply/inventory.ts';
import { isCrd } from '../../../api/crd-kind.ts';
import { judgeApply, judgeLostHealth } from '../judge-apply.ts';
import { worstOf, type Judgement } from '../judgement.ts';
import { confirmReadable } from '../readable-versions.ts';
import type { Run } from '../run.ts';
import type { Applied } from './apply.ts';
import { checkOf } from './prove-stage.ts';

/** Ready if all objects work and all webhooks answer. */
export async function prove(run: Run, applied: Applied): Promise<Judgement> {
  const { result, proof, wasHealthy } = applied;
  const judgement = wasHealthy ? judgeLostHealth(result) : judgeApply(result);
  return proof === undefined ? readApplied(run, applied, judgement) : worstOf(judgement, proof);
}

/** If the workloads were in place before, so that no proof was asked for: whether custom resources can be read. */
function readApplied(run: Run, { result, revision }: Applied, judgement: Judgement): Promise<Judgement> {
  const entries = result.inventory.filter(isCrd);
  const crds = entries.flatMap((entry) => run.watched.get(refOfEntry(entry)) ?? []);
  return confirmReadable(run.memory, { revision, judgement }, { ...checkOf(run), crds });
}
