/** The objects of operators that the Judge keeps an eye on, in a cluster with OLM v1. Pure. */
import { EXTENSION, OWNER_LABEL } from '../../../adoption/olm-v1/kinds.ts';
import { ANNOTATION } from '../../../api/names.ts';
import type { VersionOfOlm } from '../leave-olm-corpus/judge.ts';

/** Those that OLM v1 or Slipway has marked, and the certificates of cert-manager, which nothing marks. */
export const OLM_V1: VersionOfOlm = {
  held: EXTENSION,
  isOfOperator: ({ metadata: { labels = {}, annotations = {} }, ...object }) =>
    OWNER_LABEL.name in labels || ANNOTATION.owner in annotations || object['type'] === 'kubernetes.io/tls',
};
