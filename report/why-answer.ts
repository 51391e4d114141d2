/** The answer of `why` and `why-not`, from catalogs or from the cluster, and its lines for people. Pure. */
import { cleanLine } from './clean.ts';

export interface WhyAnswer {
  readonly package: string;
  /** The version of the question; absent if the question is about the package. */
  readonly version?: string;
  /** Whose status was read; absent where catalogs were asked. */
  readonly subscription?: { readonly namespace: string; readonly name: string };
  /** Whether that version is chosen, or is on the way to the chosen one; without a version: whether any is. */
  readonly chosen: boolean;
  readonly standing?: Standing;
  /** The reasons against it, a sentence each, at their shortest; empty if it is chosen. */
  readonly causes: readonly string[];
  /** What would change that, as instructions, the smallest first; each is enough. */
  readonly changes: readonly string[];
  /** The decision about the package, whatever the version: a word of the list of reasons, and a sentence. */
  readonly reason: string;
  readonly message: string;
  readonly installed?: { readonly bundle: string; readonly version: string };
  /** Where the path ends. */
  readonly available?: { readonly bundle: string; readonly version: string };
  /** The bundles that are installed one after another on the way there. */
  readonly path: readonly AnsweredHop[];
  /** The dependencies that are installed or upgraded before the first of them. */
  readonly dependencies: readonly AnsweredDependency[];
  /** The catalogs' advice against the chosen bundle, or against the installed one. */
  readonly deprecations: readonly string[];
  /** Versions that were passed over and would otherwise precede the chosen one, each with the reason. */
  readonly refused: readonly AnsweredRefusal[];
}

/** The part of an answer about the version or package of the question. */
export type WhyVerdict = Pick<WhyAnswer, 'chosen' | 'standing' | 'causes' | 'changes'>;

/**
 * The standing of a version. Chosen: the path ends there. OnTheWay: it comes before the end. Installed: it is
 * installed, and is not chosen. Refused: a catalog has it. NotOffered: no catalog has it. NotMentioned: the status does
 * not mention it.
 */
export type Standing = 'Chosen' | 'OnTheWay' | 'Installed' | 'Refused' | 'NotOffered' | 'NotMentioned';

export interface AnsweredHop {
  readonly version: string;
  readonly bundle?: string;
  readonly channel?: string;
  /** Which edge leads to it, and why it cannot be left out. */
  readonly message?: string;
}

export interface AnsweredDependency {
  readonly kind: 'install' | 'upgrade';
  readonly package: string;
  readonly bundle: string;
  readonly version: string;
  readonly catalog: string;
  readonly neededBy: readonly string[];
}

export interface AnsweredRefusal {
  readonly version: string;
  readonly bundle?: string;
  readonly catalog?: string;
  /** The obstacle, as a word of the list of reasons. */
  readonly reason: string;
  readonly message: string;
}

/** Longest list that is printed; `-o json` has all. */
const MOST_LINES = 10;

/** The answer for people; each line is cleaned. */
export function printAnswer(answer: WhyAnswer): string {
  const parts = answer.version === undefined ? describePackage(answer) : describeVersion(answer);
  return parts.map((line) => `${line}\n`).join('');
}

function describePackage(answer: WhyAnswer): readonly string[] {
  if (!answer.chosen) {
    return [
      `Nothing of ${cleanLine(answer.package)} is chosen (${answer.reason}).`,
      ...section(answer.causes.length > 1 ? 'These cannot hold together' : 'Because', answer.causes),
      ...section('What would change it', answer.changes),
    ];
  }
  return [cleanLine(answer.message), ...describeWay(answer), ...section('Passed over', answer.refused.map(lineOf))];
}

function describeVersion(answer: WhyAnswer): readonly string[] {
  const { package: name, version, chosen, standing, message } = answer;
  const subject = cleanLine(`${name}@${version}`);
  if (chosen) {
    const how = standing === 'OnTheWay' ? 'is on the way to the chosen version' : 'is chosen';
    return [`${subject} ${how}: ${cleanLine(message)}`, ...describeWay(answer)];
  }
  return [
    ...limited(answer.causes),
    ...section('What would change it', answer.changes),
    ...(answer.causes.includes(message) ? [] : section('The decision now', [message])),
  ];
}

function describeWay({ path, dependencies, deprecations }: WhyAnswer): readonly string[] {
  const needed = dependencies.map(
    ({ kind, bundle, catalog, neededBy }) =>
      `${kind} ${bundle} from catalog ${catalog}, needed by ${neededBy.join(', ')}`,
  );
  return [
    ...section('Deprecated', deprecations),
    ...section('Before it', needed),
    ...section(
      'The way',
      path.map(({ version, message }) => message ?? version),
    ),
  ];
}

function lineOf({ version, bundle, message }: AnsweredRefusal): string {
  return `${bundle ?? version}: ${message}`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...limited(lines).map((line) => `  ${line}`)];
}

function limited(lines: readonly string[]): readonly string[] {
  const more = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES).map(cleanLine), ...(more > 0 ? [`and ${more} more`] : [])];
}
