/** Passes on the comparison of bundles, which reports make as well. */
export { haveSameBundle, isPublishedAgain, isSameBundle } from '../../api/same-bundle.ts';
