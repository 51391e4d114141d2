/**
 * A CRD that serves its new versions but stores objects as before. Clients of the stored version need no conversion, so
 * a webhook that fails harms none of them, and a rollback is possible: every stored object is readable by the Revision
 * before. Pure.
 */
import type { KubeObject } from '../../../api/object.ts';
import { canonicalJson } from '../../../api/json.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../../../api/untyped.ts';
import { conversionConfig } from '../../../bundles/render/client-configs.ts';

/**
 * The CRD until its conversion is proved; the same object if nothing would differ.
 * @param isLed Whether its Service already selects the new Pods. Until then the old Pods convert, as far as they can.
 */
export function keepStorage(crd: KubeObject, live: KubeObject | undefined, isLed: boolean): KubeObject {
  const spec = fieldsOf(crd['spec']);
  const before = fieldsOf(live?.['spec']);
  const versions = listOf(spec['versions']);
  const stored = storageIn(listOf(before['versions']));
  const isConverted = fieldsOf(spec['conversion'])['strategy'] === 'Webhook';
  if (live === undefined || !isConverted || !versions.some(({ name }) => name === stored)) return crd;
  const conversion = convertsAsBefore(live, crd, isLed) ? before['conversion'] : spec['conversion'];
  if (storageIn(versions) === stored && conversion === spec['conversion']) return crd;
  const kept = versions.map((version) => ({ ...version, storage: version['name'] === stored }));
  return { ...crd, spec: { ...spec, versions: kept, conversion } };
}

function storageIn(versions: readonly Fields[]): string {
  return textOf(versions.find(({ storage }) => storage === true)?.['name']);
}

/**
 * If the Service changes, the old one converts until the new one is proved; if only path or port change, the old ones
 * are used until the Service selects the new Pods. A Service of another namespace was never one of this operator: the
 * maker of the CRD has named it.
 */
function convertsAsBefore(live: KubeObject, crd: KubeObject, isLed: boolean): boolean {
  const [before, after] = [live, crd].map((each) => fieldsOf(conversionConfig(each)['service'])) as [Fields, Fields];
  if (before['name'] === undefined) return !isLed && isConvertedByNobody(live, crd);
  if (before['namespace'] !== after['namespace']) return false;
  if (before['name'] !== after['name']) return true;
  return !isLed && canonicalJson(addressIn(before)) !== canonicalJson(addressIn(after));
}

function addressIn({ path = '/', port = 443 }: Fields): readonly unknown[] {
  return [path, port];
}

/** Whether the live CRD has several versions that need no webhook, and the new CRD adds none. */
function isConvertedByNobody(live: KubeObject, crd: KubeObject): boolean {
  if (fieldsOf(fieldsOf(live['spec'])['conversion'])['strategy'] === 'Webhook') return false;
  const [before, after] = [live, crd].map(servedBy) as [readonly string[], readonly string[]];
  return before.length > 1 && after.every((name) => before.includes(name));
}

function servedBy({ spec }: KubeObject): readonly string[] {
  const served = listOf(fieldsOf(spec)['versions']).filter((version) => version['served'] === true);
  return served.map(({ name }) => textOf(name));
}
