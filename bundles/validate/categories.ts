import { inCsv, type Check } from './check.ts';

const USUAL = [
  'AI/Machine Learning',
  'Application Runtime',
  'Big Data',
  'Cloud Provider',
  'Database',
  'Developer Tools',
  'Drivers and plugins',
  'Integration & Delivery',
  'Logging & Tracing',
  'Modernization & Migration',
  'Monitoring',
  'Networking',
  'Observability',
  'OpenShift Optional',
  'Security',
  'Storage',
  'Streaming & Messaging',
];

/** The categories are those by which a hub sorts operators. */
export const categories: Check = {
  name: 'categories',
  suite: 'operatorhub',
  *run(bundle, options) {
    const { annotations } = bundle.csv;
    if (!Object.hasOwn(annotations, 'categories')) return;
    const known = options.categories ?? USUAL;
    for (const category of (annotations['categories'] ?? '').split(',')) {
      if (known.includes(category.trim())) continue;
      const path = 'metadata.annotations[categories]';
      const message = `the category "${category.trim()}" is not known`;
      yield { level: 'error', ...inCsv(bundle, path), message, advice: `Use some of ${known.join(', ')}` };
    }
  },
};
