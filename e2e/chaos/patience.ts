/**
 * How long each wait of a run may take. A wait that ends costs nothing, and a machine with much other work takes many times
 * as long as a quiet one: a short wait would report the machine, not the manager.
 */
export const PATIENCE_SECONDS = 300;
/** How long an end may differ before it counts; a manager that backs off repeats its work within this. */
export const SETTLES_WITHIN_SECONDS = 120;
