/** Serves the files of the pages, and index.html for every view, so that the address of a view can be opened by itself. */
import type { Hono } from 'hono';
import type { Asset, Assets } from './assets.ts';
import type { ConsoleContext, ConsoleEnv } from './login/login.ts';

export function assetRoutes(app: Hono<ConsoleEnv>, assets: () => Promise<Assets>): void {
  app.get('*', async (context) => {
    const { path } = context.req;
    const { files, index } = await assets();
    const file = files.get(path);
    if (file !== undefined) return answerFile(context, file);
    // A view has no dot in its last part unless it is the name of an object; those are below the words of views.
    if (path.startsWith('/api/') || isFile(path)) return context.notFound();
    return answerFile(context, index);
  });
}

/** Whether it can only be a file: views with names of objects are deeper than their first word. */
function isFile(path: string): boolean {
  return /^\/[^/]*\.[^/]*$/.test(path) || path.startsWith('/assets/');
}

function answerFile(context: ConsoleContext, file: Asset): Response {
  const { type, etag, isImmutable, gzipped, bytes } = file;
  context.header('etag', etag);
  context.header('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  context.header('vary', 'accept-encoding');
  if (context.req.header('if-none-match') === etag) return context.body(null, 304);
  context.header('content-type', type);
  const isZipped = gzipped !== undefined && /\bgzip\b/.test(context.req.header('accept-encoding') ?? '');
  if (isZipped) context.header('content-encoding', 'gzip');
  return context.body(isZipped ? gzipped : bytes);
}
