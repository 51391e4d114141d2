/** The views of one Subscription, one beside the other. */
import { useLocation } from 'preact-iso/router';
import type { Link } from '../../data/models.ts';
import { subscriptionPath } from './paths.ts';

interface TabsProps {
  readonly namespace: string;
  readonly name: string;
  /** Links of the model; those that the tabs have already are left out. */
  readonly links?: readonly Link[];
}

export function SubscriptionTabs({ namespace, name, links = [] }: TabsProps) {
  const { path } = useLocation();
  const start = subscriptionPath(namespace, name);
  const tabs: readonly Link[] = [
    { label: 'Status', href: start },
    { label: 'Upgrade graph', href: `${start}/graph` },
    { label: 'Plan', href: `${start}/plan` },
    { label: 'Uninstall', href: `${start}/uninstall` },
  ];
  const more = links.filter(({ href }) => !tabs.some((tab) => tab.href === href.split('?', 1)[0]));
  return (
    <nav class="tabs" aria-label={`Views of ${namespace}/${name}`}>
      {[...tabs, ...more].map(({ label, href }) => (
        <a key={href} href={href} {...(href === path && { 'aria-current': 'page' as const })}>
          {label}
        </a>
      ))}
    </nav>
  );
}
