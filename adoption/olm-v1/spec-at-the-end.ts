/** The spec of the ClusterExtension once a way back has ended: by the settings that Slipway has now, or by the backup. Pure. */
import { fieldsOf, textOf, type Fields } from '../../api/untyped.ts';
import { isAtPin } from '../at-pin.ts';
import type { Backup } from './backup.ts';
import { translateBack } from './translate-back.ts';
import type { UndoFacts } from './undo-gather.ts';
import { problem } from './undoable.ts';
import { catalogFilter } from './extension.ts';
import { withoutPin } from './way-back.ts';

/** @throws ReasonedError Collision, not retried, if a tenant's settings may not be used, and the backup does not allow the version */
export function specAtTheEnd({ backup, wayBack, installed, state: { subscription } }: UndoFacts): Fields {
  if (subscription === undefined) return wayBack?.spec ?? {};
  const spec = fieldsOf(subscription['spec']);
  if (textOf(spec['serviceAccountName']) !== '') return specOfBackup(backup, installed.version);
  return translateBack(backup, { ...spec, version: withoutPin(subscription, wayBack).version });
}

/** OLM acts as an administrator: a tenant who acts as an account must not choose other versions or settings for it. */
function specOfBackup({ extension, olm }: Backup, version: string): Fields {
  const range = textOf(catalogFilter(olm)['version']);
  if (range === '' || isAtPin(version, range)) return fieldsOf(olm['spec']);
  throw problem(
    { extension },
    `the backup allows ${range}, and ${version} is installed. Slipway's Subscription acts as a ServiceAccount, so that its settings are not translated back`,
    "Install a version that the backup allows, or have an administrator take spec.serviceAccountName off Slipway's Subscription",
  );
}
