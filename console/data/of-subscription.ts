/** The views of one Subscription, which the path names: none of them has an answer if the person cannot see it. Pure. */
import type { Subscription } from '../../api/subscription.ts';
import { subscriptionFrom, unseen } from './objects.ts';
import type { Ask, Asked, Parameters, View, Visible } from './view.ts';

interface Given {
  readonly parameters: Parameters;
  readonly asked: Asked;
}

/** A view of a Subscription that the person sees. */
interface SubscriptionView<Model> {
  readonly ask: (visible: Visible, found: Subscription, parameters: Parameters) => Ask;
  readonly show: (visible: Visible, found: Subscription, given: Given) => Model;
}

/** The functions of the view: nothing is asked about a Subscription that the person does not see, and a problem is shown. */
export function ofSubscription<Model>({
  ask,
  show,
}: SubscriptionView<Model>): Required<Pick<View<Model>, 'ask' | 'show'>> {
  return {
    ask: (visible, parameters) => {
      const found = subscriptionFrom(visible, parameters);
      return found === undefined ? {} : ask(visible, found, parameters);
    },
    show: (visible, parameters, asked) => {
      const found = subscriptionFrom(visible, parameters);
      return found === undefined
        ? unseen('Subscription', visible, parameters)
        : show(visible, found, { parameters, asked });
    },
  };
}
