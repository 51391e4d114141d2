/** `slipway outdated --write FILE…`: raises exact versions of Subscriptions in files, and changes nothing else in them. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { Subscription } from '../../../../api/subscription.ts';
import type { Environment } from '../../environment.ts';
import { invalidInput } from '../../../../api/invalid-input.ts';
import { readOneFile } from '../../input/files.ts';
import type { OutputFlags } from '../../flags.ts';
import type { Outcome } from '../../outcome.ts';
import { formatTable } from '../../output/table.ts';
import { writeFiles } from '../../output/write-files.ts';
import { count } from '../../../../report/count.ts';
import { outcomeOf } from '../print.ts';
import { decideRaise, type RaiseDecision } from './decide.ts';
import { parseManifest, replaceVersions, type ManifestSubscription } from './manifest.ts';
import { withFacts, type FactsOf, type RaiseFlags } from './sources.ts';

export interface WriteFlags extends RaiseFlags, OutputFlags {
  readonly write: readonly string[];
  readonly dryRun?: 'client';
}

/** @throws ReasonedError InputInvalid, InvalidSpec, and the errors of catalogs; no file is written then */
export async function raise(environment: Environment, flags: WriteFlags): Promise<Outcome> {
  const manifests = await Promise.all([...new Set(flags.write)].map((path) => readManifest(environment, path)));
  const subscriptions = manifests.flatMap(({ found }) => found.map(({ subscription }) => subscription));
  const judged = await withFacts(environment, { subscriptions, flags }, (factsOf) =>
    manifests.map((manifest) => judgeManifest(manifest, factsOf)),
  );
  const changed = judged.filter(({ after, before }) => after !== before);
  if (flags.dryRun === undefined)
    for (const { path, after } of changed) {
      const file = await realpath(resolve(environment.folder, path));
      await writeFiles(dirname(file), new Map([[basename(file), after]]));
    }
  const outdated = judged.flatMap(({ rows }) => rows);
  const data = { checked: subscriptions.length, outdated, files: changed.map(({ path }) => path) };
  const text = printRaised(data, flags, environment.columns);
  return outcomeOf(data, text, flags.output, outdated.length > 0 ? 2 : 0);
}

interface ReadManifest {
  readonly path: string;
  readonly text: string;
  readonly found: readonly ManifestSubscription[];
}

async function readManifest(environment: Environment, path: string): Promise<ReadManifest> {
  const bytes = await readOneFile(environment, path);
  const text = Buffer.from(bytes).toString('utf8');
  if (!Buffer.from(text).equals(bytes)) throw invalidInput(`${path} cannot be read: it is not valid UTF-8`);
  return { path, text, found: parseManifest(path, text) };
}

/** A Subscription whose spec does not allow the newest version yet. */
export interface RaisedRow {
  readonly file: string;
  readonly namespace: string;
  readonly name: string;
  readonly package: string;
  /** As the file has it. */
  readonly version: string;
  /** The version that is written; absent if the file keeps the old one. */
  readonly raised?: string;
  /** The highest version of the catalogs, if another one is written or none. */
  readonly latest?: string;
  readonly reason: string;
  readonly message: string;
}

interface JudgedManifest {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly rows: readonly RaisedRow[];
}

function judgeManifest({ path, text, found }: ReadManifest, factsOf: FactsOf): JudgedManifest {
  const judged = found.flatMap((one) => {
    const decision = decideRaise(one.subscription, factsOf(one.subscription));
    return decision === undefined ? [] : [{ ...one, decision }];
  });
  const changes = judged.flatMap(({ place, decision: { to } }) =>
    to === undefined || place === undefined ? [] : [{ place, version: to }],
  );
  const after = replaceVersions(text, changes);
  const rows = judged.map(({ subscription, place, decision }) =>
    rowOf(path, subscription, place === undefined || after === undefined ? fixed(decision) : decision),
  );
  return { path, before: text, after: after ?? text, rows };
}

/** The decision for a version that cannot be replaced alone. */
function fixed({ to, latest, ...decision }: RaiseDecision): RaiseDecision {
  const newest = latest ?? to;
  if (to === undefined) return { ...decision, ...(newest !== undefined && { latest: newest }) };
  const message = `the file uses an anchor, an alias or a block for versions: write ${to} by hand`;
  return { ...decision, ...(newest !== undefined && { latest: newest }), message };
}

function rowOf(file: string, { metadata, spec }: Subscription, { to, ...decision }: RaiseDecision): RaisedRow {
  return {
    file,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    package: spec.package,
    version: spec.version ?? '',
    ...(to !== undefined && { raised: to }),
    ...decision,
  };
}

const HEADER = ['FILE', 'NAME', 'PACKAGE', 'VERSION', 'RAISED', 'LATEST', 'REASON', 'MESSAGE'];

interface Raised {
  readonly checked: number;
  readonly outdated: readonly RaisedRow[];
  readonly files: readonly string[];
}

function printRaised(
  { checked, outdated, files }: Raised,
  { dryRun }: WriteFlags,
  columns: number | undefined,
): string {
  if (checked === 0) return 'The files have no Subscription of slipway.dev/v1alpha1\n';
  if (outdated.length === 0) return `No newer version exists for ${count(checked, 'Subscription')}\n`;
  const rows = outdated.map((one) => [
    one.file,
    one.namespace === '' ? one.name : `${one.namespace}/${one.name}`,
    one.package,
    one.version,
    one.raised ?? '',
    one.latest ?? '',
    one.reason,
    one.message,
  ]);
  const effect = dryRun === undefined ? 'written' : 'to be written (dry run: nothing is written)';
  return `${formatTable(HEADER, rows, columns)}${count(files.length, 'file')} ${effect}\n`;
}
