/** A model for each view: a small company with operators in every state. */
import { catalogModel, packageModel, subscribeModel } from './catalog.ts';
import { graphModel, planModel, uninstallModel } from './decisions.ts';
import { overviewModel, revisionModel, subscriptionModel } from './operators.ts';
import { eventsModel, slipwayModel } from './system.ts';

/** The path of each view, and its model. */
export const MODELS: Readonly<Record<string, unknown>> = {
  '/overview': overviewModel,
  '/subscriptions/lights/beacon': subscriptionModel,
  '/subscriptions/lights/beacon/graph': graphModel,
  '/subscriptions/lights/beacon/plan': planModel,
  '/subscriptions/lights/beacon/uninstall': uninstallModel,
  '/revisions/lights/beacon-3': revisionModel,
  '/catalog': catalogModel,
  '/catalog/team/cert-manager': packageModel,
  '/subscribe': subscribeModel,
  '/events': eventsModel,
  '/slipway': slipwayModel,
};
