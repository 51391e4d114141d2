/**
 * The figures of OLM v1 for the same work, recorded on a quiet machine of two cores in November 2026, with the API
 * server, registry and pretended Pods that Slipway is measured with. They are printed beside each row, not measured
 * again: a busy machine makes them look better than they are.
 */

/** By the text of the row; its unit follows after `#`. */
const RECORDED: Readonly<Record<string, string>> = {
  'one small operator: install#s': '0.46–0.89 s',
  'one small operator: upgrade#s': '0.56–1.07 s',
  'one small operator: removal#s': '0.16–0.24 s, unordered',
  'one small operator: idle, requests#/min': '5 with leases',
  'one small operator: a deleted Deployment is back#s': '0.55 s',
  'one with large CRDs: install#s': '2.5–3.5 s',
  'one with large CRDs: a deleted Deployment is back#s': '2.5 s',
  'one of twelve objects differs: upgrade#s': '6.4 s',
  'eight of seventeen objects differ: upgrade#s': 'never ended',
  '25 at once: install#s': '34.9 s',
  '25 at once: install#requests': '1999',
  '25 at once: peak memory#MB': '307 MB',
  '200 tiny ones at once: install#s': '71 s',
  '200 tiny ones at once: install#requests': '7706',
  'catalog of 69 MB: applied → served#s': '3.1 s',
  'catalog of 69 MB: processor time#s': '5.5 s',
  'catalog of 69 MB: peak memory#MB': '163 MB',
  'catalog of 69 MB: disk#MB': '214 MB',
};

/** The figure of OLM v1 for a row; undefined if none was recorded. */
export function recordedOf({ what, unit }: { readonly what: string; readonly unit: string }): string | undefined {
  return RECORDED[`${what}#${unit}`];
}
