/** Pages without content: why, and what to do next. Pure. */
import type { Empty } from './models.ts';
import type { Visible } from './view.ts';

/** Without a Subscription: the way to the first one. Undefined if there is one. */
export function noOperators({ subscriptions, catalogs, reach }: Visible): Empty | undefined {
  if (subscriptions.length > 0) return undefined;
  if (reach.subscriptions.length === 0)
    return {
      message:
        'You may not list Subscriptions in all namespaces, nor in one that has any. Ask an administrator for the right.',
      next: [{ label: 'Search the catalog', href: '/catalog' }],
    };
  if (catalogs.length === 0)
    return {
      message: 'No operator is installed, and no Catalog lists any. Create a Catalog first: docs/tutorial.md',
      next: [{ label: 'See Slipway itself', href: '/slipway' }],
    };
  return {
    message: 'No operator is installed. Choose one in the catalog.',
    next: [{ label: 'Search the catalog', href: '/catalog' }],
  };
}
