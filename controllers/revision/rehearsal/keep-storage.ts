/**
 * A CRD that serves its new versions and stores objects as before. Who uses the version that there is needs no webhook
 * for it, so that a conversion that fails harms nobody, and the way back is open: nothing is stored that the Revision
 * before could not read. Pure.
 */
import type { KubeObject } from '../../../api/object.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../../../apply/untyped.ts';
import { conversionConfig } from './called-webhooks.ts';

/**
 * The CRD until its conversion is proved; the same object where nothing would differ. Where another Service converts so
 * far, it goes on doing so.
 */
export function keepStorage(crd: KubeObject, live: KubeObject | undefined): KubeObject {
  const spec = fieldsOf(crd['spec']);
  const before = fieldsOf(live?.['spec']);
  const versions = listOf(spec['versions']);
  const stored = storageIn(listOf(before['versions']));
  const isConverted = fieldsOf(spec['conversion'])['strategy'] === 'Webhook';
  if (live === undefined || !isConverted || !versions.some(({ name }) => name === stored)) return crd;
  const conversion = isConvertedElsewhere(live, crd) ? before['conversion'] : spec['conversion'];
  if (storageIn(versions) === stored && conversion === spec['conversion']) return crd;
  const kept = versions.map((version) => ({ ...version, storage: version['name'] === stored }));
  return { ...crd, spec: { ...spec, versions: kept, conversion } };
}

function storageIn(versions: readonly Fields[]): string {
  return textOf(versions.find(({ storage }) => storage === true)?.['name']);
}

function isConvertedElsewhere(live: KubeObject, crd: KubeObject): boolean {
  const [before, after] = [live, crd].map((each) => fieldsOf(conversionConfig(each)['service'])) as [Fields, Fields];
  if (before['name'] === undefined) return false;
  return before['name'] !== after['name'] || before['namespace'] !== after['namespace'];
}
