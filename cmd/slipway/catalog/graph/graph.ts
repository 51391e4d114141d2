/** `slipway catalog graph`: draws the upgrade graph of a package, each channel as a lane. */
import type { CatalogPackage } from '../../../../catalog/model.ts';
import type { Environment } from '../../environment.ts';
import type { OutputFlags } from '../../flags.ts';
import { readCatalog } from '../../input/catalog.ts';
import { withIndexes } from '../../input/index.ts';
import { invalidInput } from '../../../../api/invalid-input.ts';
import { nameSome } from '../../../../api/name-some.ts';
import type { RegistryFlags } from '../../input/registry.ts';
import type { Outcome } from '../../outcome.ts';
import { drawDot } from './dot.ts';
import { graphOf, type DrawnGraph } from '../../../../report/upgrade-graph.ts';
import { drawMermaid } from './mermaid.ts';
import { drawSvg } from './svg.ts';
import { drawText } from './text.ts';

export interface GraphFlags extends RegistryFlags, OutputFlags {
  readonly channel?: readonly string[];
}

/** @throws ReasonedError InputInvalid if the catalog lacks the package or a channel, and errors of reading the catalog */
export async function graph(
  environment: Environment,
  source: string,
  packageName: string,
  flags: GraphFlags,
): Promise<Outcome> {
  const { files, digest } = await readCatalog(environment, source, flags);
  const drawn = await withIndexes(environment, [files], ([index]) => {
    const content = index?.package(packageName);
    if (content === undefined) throw unknownPackage(packageName, index?.packages().map(({ name }) => name) ?? []);
    refuseUnknownChannels(content, flags.channel ?? []);
    return graphOf(content, flags.channel);
  });
  return {
    data: { source, ...(digest !== undefined && { digest }), ...drawn },
    text: draw(drawn, flags.output, environment.columns),
  };
}

function draw(drawn: DrawnGraph, format: string, columns: number | undefined): string {
  switch (format) {
    case 'mermaid':
      return drawMermaid(drawn);
    case 'dot':
      return drawDot(drawn);
    case 'svg':
      return drawSvg(drawn);
    default:
      return drawText(drawn, columns);
  }
}

const MOST_NAMED = 5;

function unknownPackage(name: string, names: readonly string[]): Error {
  return invalidInput(
    `the catalog has no package ${JSON.stringify(name)}`,
    names.length === 0 ? 'It has no packages' : `It has ${nameSome(names, MOST_NAMED)}; see slipway catalog list`,
  );
}

function refuseUnknownChannels({ name, channels }: CatalogPackage, asked: readonly string[]): void {
  const known = channels.map((channel) => channel.name);
  const unknown = asked.find((one) => !known.includes(one));
  if (unknown === undefined) return;
  throw invalidInput(
    `package ${name} has no channel ${JSON.stringify(unknown)}`,
    `It has ${nameSome(known, MOST_NAMED)}`,
  );
}
