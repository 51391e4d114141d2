import { startFakeRegistry } from './fake-registry.ts';
import { registryCases } from './registry-cases.ts';

const credentials = () => ({ kind: 'basic', username: 'u', password: 'p' }) as const;

registryCases('a registry with the referrers API', async () => {
  const fake = await startFakeRegistry({ pageSize: 10 });
  return { host: fake.host, stop: () => fake.close() };
});

registryCases('a registry without the referrers API', async () => {
  const fake = await startFakeRegistry({ referrers: false, pageSize: 10 });
  return { host: fake.host, stop: () => fake.close() };
});

registryCases('a registry with tokens', async () => {
  const fake = await startFakeRegistry({ auth: { kind: 'bearer', username: 'u', password: 'p' } });
  return { host: fake.host, options: { credentials }, stop: () => fake.close() };
});

registryCases('a registry with passwords', async () => {
  const fake = await startFakeRegistry({ auth: { kind: 'basic', username: 'u', password: 'p' } });
  return { host: fake.host, options: { credentials }, stop: () => fake.close() };
});
