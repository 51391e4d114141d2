/** Places the Services through which the API server calls the operator, for webhooks and for APIServices. */
import { fieldsOf, listOf, numberOf } from '../../api/untyped.ts';
import type { Ledger } from './ledger.ts';
import type { SourceObject } from './source.ts';

/** Ports by which the API server calls each Service. */
export type CalledServices = ReadonlyMap<SourceObject, ReadonlySet<number>>;

/** All ports of each Service. */
export function joinPorts(...some: readonly CalledServices[]): CalledServices {
  const services = new Set(some.flatMap((one) => [...one.keys()]));
  return new Map(
    [...services].map((service) => [service, new Set(some.flatMap((one) => [...(one.get(service) ?? [])]))] as const),
  );
}

/**
 * An installation makes a Service with the ports of the definitions; one of the source that has further ports is kept besides.
 *
 * @param field That of the definitions in the CSV.
 */
export function placeServices(ledger: Ledger, services: CalledServices, field: (source: SourceObject) => string): void {
  for (const [source, ports] of services) {
    ledger.inCsv(source, field(source));
    const others = listOf(fieldsOf(source.object['spec'])['ports']).filter(
      (one) => !ports.has(numberOf(one['port']) ?? 0),
    );
    if (others.length > 0) ledger.inManifests(source);
    else ledger.note(source, 'an installation makes a Service of its own for webhooks and APIServices');
  }
}
