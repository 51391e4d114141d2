/**
 * The nodes of a YAML document with their positions in its text, so that one value can be replaced and every other
 * character stays: comments, order, quotes and indentation. Pure.
 */
import { EVENT_ID, getScalarValue, parseEvents, type Event, type ScalarEvent } from 'js-yaml';
import { DEFAULT_YAML_LIMITS } from '../../../../bundles/yaml.ts';

export type YamlNode =
  | { readonly kind: 'scalar'; readonly text: string; readonly event: ScalarEvent }
  | { readonly kind: 'mapping'; readonly entries: ReadonlyMap<string, YamlNode> }
  | { readonly kind: 'sequence'; readonly items: readonly YamlNode[] }
  | { readonly kind: 'alias' };

/** The root of a document; undefined if it is empty. @throws YAMLException */
export function parseNodes(text: string): YamlNode | undefined {
  const cursor = new EventCursor(text, parseEvents(text, { maxDepth: DEFAULT_YAML_LIMITS.maxDepth }));
  return cursor.document();
}

/** The node at a path of keys and positions; undefined if the document itself does not have it. */
export function nodeAt(root: YamlNode | undefined, path: readonly (string | number)[]): YamlNode | undefined {
  return path.reduce<YamlNode | undefined>((node, step) => {
    if (node?.kind === 'mapping') return node.entries.get(String(step));
    return node?.kind === 'sequence' ? node.items[Number(step)] : undefined;
  }, root);
}

/** Walks through the events of one text. */
class EventCursor {
  readonly #text: string;
  readonly #events: readonly Event[];
  #at = 0;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  document(): YamlNode | undefined {
    return this.#next()?.type === EVENT_ID.DOCUMENT ? this.#children()[0] : undefined;
  }

  #next(): Event | undefined {
    const event = this.#events[this.#at];
    this.#at += 1;
    return event;
  }

  /** The nodes up to the event that closes their parent. */
  #children(): readonly YamlNode[] {
    const nodes: YamlNode[] = [];
    for (let event = this.#next(); event !== undefined && event.type !== EVENT_ID.POP; event = this.#next())
      nodes.push(this.#node(event));
    return nodes;
  }

  #node(event: Event): YamlNode {
    switch (event.type) {
      case EVENT_ID.SCALAR:
        return { kind: 'scalar', text: getScalarValue(this.#text, event), event };
      case EVENT_ID.SEQUENCE:
        return { kind: 'sequence', items: this.#children() };
      case EVENT_ID.MAPPING:
        return { kind: 'mapping', entries: entriesOf(this.#children()) };
      default:
        return { kind: 'alias' };
    }
  }
}

/** Of duplicate keys the last one counts, as for the Kubernetes tools. */
function entriesOf(children: readonly YamlNode[]): ReadonlyMap<string, YamlNode> {
  const entries = new Map<string, YamlNode>();
  for (let at = 0; at + 1 < children.length; at += 2) {
    const [key, value] = [children[at], children[at + 1]];
    if (key?.kind === 'scalar' && value !== undefined) entries.set(key.text, value);
  }
  return entries;
}
