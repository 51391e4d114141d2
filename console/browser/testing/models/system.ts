import type { EventsModel, SlipwayModel } from '../../../data/models.ts';

export const eventsModel: EventsModel = {
  title: 'Events',
  notices: [],
  namespaces: [
    { label: 'lights', href: '/events?namespace=lights' },
    { label: 'security', href: '/events?namespace=security' },
  ],
  onlyWarnings: false,
  events: [
    {
      key: '1',
      time: '2026-11-23T07:40:00Z',
      type: { word: 'Normal', tone: 'off' },
      reason: 'Upgrading',
      object: 'Subscription beacon',
      namespace: 'lights',
      href: '/subscriptions/lights/beacon',
      message: 'beacon-operator.v1.1.0 is to follow beacon-operator.v1.0.0, step 1 of 2',
      count: 1,
    },
    {
      key: '2',
      time: '2026-11-23T06:30:00Z',
      type: { word: 'Warning', tone: 'waiting' },
      reason: 'Contested',
      object: 'Subscription beacon',
      namespace: 'lights',
      href: '/subscriptions/lights/beacon',
      message: 'Deployment lights/beacon-operator: spec.replicas was changed back five times by autoscaler',
      count: 5,
    },
  ],
  audit: [
    {
      key: 'a',
      time: '2026-11-02T08:59:20Z',
      namespace: 'lights',
      subscription: 'beacon',
      href: '/subscriptions/lights/beacon',
      act: 'approved 1.0.0',
      by: 'ben@example.com',
      message: 'Revision beacon-3, plan sha256:4be14be14be1…',
    },
  ],
};

export const slipwayModel: SlipwayModel = {
  title: 'Slipway itself',
  notices: [],
  findings: [
    {
      level: { word: 'Warning', tone: 'waiting' },
      message: 'Catalog public has not been read since yesterday',
      advice: 'Check whether the registry can be reached from the cluster.',
    },
  ],
  leader: 'slipway-manager-7f9c6d5b8-qx2lw',
  renewed: '2026-11-23T07:44:58Z',
  facts: [
    { name: 'Slipway', values: ['0.1.0'] },
    { name: 'Kubernetes', values: ['v1.33.2'] },
    { name: 'Replicas', values: ['2 of 2 ready'] },
  ],
  catalogs: [
    {
      name: 'team',
      state: { word: 'Ready', tone: 'good' },
      message: 'Serves 370 packages',
      source: 'registry.example.com/catalogs/team:latest, every 10m',
      digest: `sha256:${'9f8e'.repeat(16)}`,
      packages: 370,
      channels: 812,
      bundles: 4473,
      priority: 0,
      moments: [
        { name: 'Checked', time: '2026-11-23T07:40:00Z' },
        { name: 'Changed', time: '2026-11-20T07:40:00Z' },
      ],
      signature: 'signed by release@example.com',
      buttons: [],
    },
  ],
  policies: [
    {
      name: 'example',
      prefix: 'registry.example.com/',
      state: { word: 'Ready', tone: 'good' },
      message: '2 mirrors, signatures of 1 key',
    },
  ],
};
