/** The end of a way back to OLM v1 in words: the version, and the fields of the ClusterExtension that are not as before. Pure. */
import type { Backup } from '../../../../adoption/olm-v1/backup.ts';
import { OFFER } from '../../../../adoption/olm-v1/kinds.ts';
import type { InstalledBundle } from '../../../../adoption/olm-v1/offer.ts';
import { installedBundle } from '../../../../adoption/olm-v1/extension.ts';
import type { KubeObject } from '../../../../api/object.ts';
import { diffFields } from '../../../../plan/fields.ts';
import { cleanLine } from '../../../../report/clean.ts';

export interface HandedBack {
  readonly backup: Backup;
  /** The bundle that was handed back; empty texts if the hand-over was only called off. */
  readonly installed: InstalledBundle;
  readonly extension: KubeObject | undefined;
}

/** Names fields by their paths: values may be secret. */
export function describeHandedBack({ backup, installed, extension }: HandedBack): {
  readonly data: object;
  readonly text: string;
} {
  const name = `ClusterExtension ${backup.extension}`;
  const { version } = installed;
  if (version === '') {
    const text = `The hand-over of ${name} is called off: OLM has the operator as before\n`;
    return { data: { step: 'Done' }, text };
  }
  const { version: versionBefore } = installedBundle(backup.olm);
  const { fields, more } = diffFields(declared(backup.olm), declared(extension ?? backup.olm));
  const paths = fields.map(({ path }) => cleanLine(path));
  const versions = cleanLine(`in version ${version}; it had come in version ${versionBefore}`);
  const outcome = version === versionBefore ? 'handed back to OLM' : `handed back to OLM ${versions}`;
  const listed = [...paths, ...(more > 0 ? [`and ${more} more`] : [])].map((path) => `  ${path}\n`);
  const differing = listed.length === 0 ? '' : `Fields that differ from the backup:\n${listed.join('')}`;
  return {
    data: { step: 'Done', version, versionBefore, fields: paths },
    text: `${name} is ${outcome}\n${differing}`,
  };
}

/** The part that people and Git write. */
function declared({
  apiVersion,
  kind,
  metadata: { name, labels = {}, annotations = {} },
  spec,
}: KubeObject): KubeObject {
  const { [OFFER]: _offer, ...others } = annotations;
  return { apiVersion, kind, metadata: { name, labels, annotations: others }, spec };
}
