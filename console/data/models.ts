/** The models of all views: what the server computes, and the browser draws. Types only. */
export type * from './models/common.ts';
export type * from './models/overview.ts';
export type * from './models/subscription.ts';
export type * from './models/graph.ts';
export type * from './models/plan.ts';
export type * from './models/catalog.ts';
export type * from './models/subscribe.ts';
export type * from './models/revision.ts';
export type * from './models/uninstall.ts';
export type * from './models/events.ts';
export type * from './models/slipway.ts';
