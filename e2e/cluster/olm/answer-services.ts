/**
 * Answers for the Services of a cluster without Pods: `node answer-services.ts FOLDER SERVER`. It listens on the ports of
 * all Services, with the certificate that a Secret of the Service's namespace has for the name that is asked for. It
 * converts every custom resource by its apiVersion, serves the kinds of aggregated APIs that a ClusterServiceVersion
 * owns, and admits every object, except at the path that the object's annotation DENIED_AT names.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { callbackify } from 'node:util';
import { createSecureContext, type SecureContext } from 'node:tls';
import { openAdmin } from '../admin.ts';
import { DENIED_AT } from './denied-at.ts';

const LOOK_EVERY_MS = 250;

const [folder, server] = process.argv.slice(2) as [string, string];
const file = (name: string): string => readFileSync(join(folder, 'pki', name), 'utf8');
const admin = openAdmin({ server, ca: file('ca.crt'), token: file('tokens.csv').split(',')[0]! });
const servers = new Map<number, Server>();
const fallback = { cert: file('apiserver.crt'), key: file('apiserver.key') };

interface Listed<Item> {
  readonly items: readonly Item[];
}

setInterval(() => void listen().catch(() => undefined), LOOK_EVERY_MS);

async function listen(): Promise<void> {
  const { items } = (await admin.call('GET', '/api/v1/services')) as unknown as Listed<{
    readonly metadata: { readonly namespace: string; readonly name: string };
    readonly spec: { readonly ports?: readonly { readonly port: number }[] };
  }>;
  const operators = items.filter(({ metadata }) => metadata.name !== 'kubernetes');
  for (const { port } of operators.flatMap(({ spec }) => spec.ports ?? [])) {
    if (!servers.has(port)) servers.set(port, open(port));
  }
}

function open(port: number): Server {
  const options = {
    ...fallback,
    SNICallback: callbackify(contextFor),
    // As the servers of operators, which end no idle connection: the API server may be about to use it again.
    keepAliveTimeout: 0,
  };
  const opened = createServer(options, (request, response) => void answer(request, response));
  opened.on('error', () => servers.delete(port));
  return opened.listen(port, '0.0.0.0');
}

/** Read for each handshake: a certificate is rotated. */
async function contextFor(name: string): Promise<SecureContext> {
  const [, namespace = ''] = name.split('.');
  const { items } = (await admin.call('GET', `/api/v1/namespaces/${namespace}/secrets`)) as unknown as Listed<{
    readonly data?: Readonly<Record<string, string>>;
  }>;
  for (const { data } of items) {
    const [cert, key] = [data?.['tls.crt'], data?.['tls.key']].map((text) => Buffer.from(text ?? '', 'base64'));
    if (cert === undefined || key === undefined || cert.length === 0) continue;
    if (new X509Certificate(cert).checkHost(name) !== undefined) return createSecureContext({ cert, key });
  }
  throw new Error(`no Secret has a certificate for ${name}`);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const isReview = request.method === 'POST' && text.startsWith('{');
  const content = isReview ? review(JSON.parse(text), request.url) : await listing(request.url);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion?: string;
    readonly objects?: readonly Readonly<Record<string, unknown>>[];
    readonly object?: { readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> } };
  };
}

function review({ apiVersion, kind, request: { uid, ...request } }: Review, url = ''): unknown {
  const { desiredAPIVersion, objects = [], object } = request;
  const isDenied = object?.metadata?.annotations?.[DENIED_AT] === url.split('?', 1)[0];
  const converted = objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion }));
  const response =
    kind === 'ConversionReview'
      ? { uid, result: { status: 'Success' }, convertedObjects: converted }
      : { uid, allowed: !isDenied, ...(isDenied && { status: { message: `denied at ${url}` } }) };
  return { apiVersion, kind, response };
}

/** The kinds of aggregated APIs; those of a ClusterServiceVersion that is gone are still served. */
const served = new Map<string, { readonly name: string; readonly kind: string; readonly groupVersion: string }>();

async function listing(url = ''): Promise<unknown> {
  const [, , group, version] = url.split('?', 1)[0]!.split('/');
  const groupVersion = `${group}/${version}`;
  if (![...served.values()].some((one) => one.groupVersion === groupVersion)) await readServed();
  const resources = [...served.values()]
    .filter((one) => one.groupVersion === groupVersion)
    .map(({ name, kind }) => ({ name, kind, singularName: '', namespaced: true, verbs: ['get', 'list'] }));
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}

async function readServed(): Promise<void> {
  const path = '/apis/operators.coreos.com/v1alpha1/clusterserviceversions';
  const { items } = (await admin.call('GET', path)) as unknown as Listed<{
    readonly spec: { readonly apiservicedefinitions?: { readonly owned?: readonly OwnedApi[] } };
  }>;
  for (const { group, version, name, kind } of items.flatMap(({ spec }) => spec.apiservicedefinitions?.owned ?? []))
    served.set(`${name}.${version}.${group}`, { name, kind, groupVersion: `${group}/${version}` });
}

interface OwnedApi {
  readonly group: string;
  readonly version: string;
  readonly name: string;
  readonly kind: string;
}
