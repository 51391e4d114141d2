import { afterAll, beforeAll, describe } from 'vitest';
import { checkApiServerRules } from './api-server-rules.ts';
import { createClient, type Client } from '../client/client.ts';
import { startFakeApi, type FakeApi } from './fake-api.ts';
import { createTransport, type Transport } from '../transport/transport.ts';

let api: FakeApi;
let transport: Transport;
let client: Client;

beforeAll(async () => {
  api = await startFakeApi();
  transport = createTransport(api.config);
  client = createClient(transport);
});

afterAll(async () => {
  transport.close();
  await api.close();
});

describe('the fake API server follows the rules of the real one', () => checkApiServerRules(() => client));
