/**
 * A write of a leader that has been deposed arrives late: after its successor has finished what was asked, after the
 * opposite was asked, and after everything was removed. Each single write of an installation, an upgrade, a downgrade
 * and a removal is held back once, each of another operator; all ends are as if nothing had been late. See decision 24.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Revision } from '../../../api/revision.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway } from '../../lib/manager.ts';
import { catalogOf, isReady, list, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog } from '../../lib/publish.ts';
import { publishTiny } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { apply, makeNamespaces, startRemoval } from '../../lib/writes.ts';
import { readState, type State } from '../../lib/state.ts';
import { differences, replaced } from '../../lib/state-differences.ts';
import { startLeader, type HeldWrites } from './deposed.ts';

/** More than there are such writes in the longest step, so that each of them is held of one operator. */
const SIZE = 20;
const OPERATORS: readonly string[] = Array.from({ length: SIZE }, (_, at) => `late${String(at).padStart(2, '0')}`);
const CATALOG = 'late';

/** A second namespace of an operator. */
const afar = (operator: string): string => `${operator}-afar`;

type Step = 'install' | 'upgrade' | 'downgrade' | 'removal';
const STEPS: readonly Step[] = ['install', 'upgrade', 'downgrade', 'removal'];
const VERSIONS: Readonly<Partial<Record<Step, string>>> = { install: '1.0.0', upgrade: '2.0.0', downgrade: '1.0.0' };

const cluster = useCluster();
/** What there is after each step if nothing is late. */
const undisturbed = new Map<Step, State>();
/** What is written for an operator in each step if nothing is late, in order, each different from all others. */
const writes = new Map<Step, string[]>(STEPS.map((step) => [step, []]));

beforeAll(async () => {
  await installSlipway(cluster());
  await publish();
  await makeNamespaces(cluster(), [...OPERATORS, ...OPERATORS.map(afar)]);
  await apply(cluster(), catalogOf(CATALOG, `${cluster().registry}/catalog:latest`));
});

test('the steps have their usual results if no write is late', async () => {
  let now: Step = 'install';
  const count = createCounter();
  const leader = await startLeader(cluster(), new Map(), {
    operatorOf,
    isHeld(operator, what) {
      if (operator === OPERATORS[0]) writes.get(now)!.push(count(now, what));
      return false;
    },
  });
  await waitFor(cluster(), { kind: 'catalog', name: CATALOG }, isReady);
  for (const step of STEPS) {
    now = step;
    await ask(step);
    await arrived(step);
    undisturbed.set(step, await stateOfOperators());
  }
  await leader.depose();
  expect(undisturbed.get('install')!.contents.size).toBeGreaterThan(SIZE * 5);
  expect([...undisturbed.get('removal')!.contents.keys()]).toEqual([]);
});

interface Round {
  readonly late: Step;
  /** What is asked and done after that, before the write arrives for the first time. */
  readonly meanwhile?: Step;
  readonly what: string;
}

const ROUNDS: readonly Round[] = [
  ...STEPS.map((late) => ({ late, what: `a write of the ${late} is late` })),
  { late: 'upgrade', meanwhile: 'downgrade', what: 'a write of the upgrade is late, and the successor takes it back' },
];

describe.each(ROUNDS)('if $what', ({ late, meanwhile }) => {
  const held: HeldWrites = new Map();
  const chosenOf = (operator: string): string | undefined => writes.get(late)![OPERATORS.indexOf(operator)];

  beforeAll(async () => {
    // What a round that failed has left.
    if ((await lacking('removal')).length === 0) return;
    const leader = await startLeader(cluster());
    await ask('removal').catch(() => undefined);
    await arrived('removal');
    await leader.depose();
  });

  test('each single one is held back once', async () => {
    const before = STEPS.slice(0, STEPS.indexOf(late));
    if (before.length > 0) {
      const first = await startLeader(cluster());
      for (const step of before) {
        await ask(step);
        await arrived(step);
      }
      await first.depose();
    }
    const count = createCounter();
    const deposed = await startLeader(cluster(), held, {
      operatorOf,
      isHeld: (operator, what) => count(operator, what) === chosenOf(operator),
    });
    await ask(late);
    const done = await until('all are held or done', async () => {
      const rest = OPERATORS.filter((operator) => !held.has(operator));
      const there = await lacking(late);
      return rest.every((operator) => !there.includes(operator)) ? rest : undefined;
    });
    await deposed.depose();
    const kept = new Set([...held.keys()].map(chosenOf));
    expect(held.size).toBeGreaterThan(writes.get(late)!.length * 0.7);
    expect(done, 'the last operator is not disturbed, so no write was left out').toContain(OPERATORS.at(-1));
    process.stdout.write(`late-writes: ${late}: held ${[...kept].join(', ')}\n`);
  });

  test('and arrives when its successor is done, and after each step that follows, all ends are the same', async () => {
    if (meanwhile !== undefined) await ask(meanwhile);
    const leader = await startLeader(cluster());
    try {
      const first = meanwhile ?? late;
      for (const step of STEPS.slice(STEPS.indexOf(first))) {
        if (step !== first) await ask(step);
        await arrived(step);
        const before = meanwhile === undefined ? await endOf(step) : await standstill();
        const answers = await arriveAll();
        if (meanwhile !== undefined) await arrived(step);
        const after = meanwhile === undefined ? await endOf(step) : await endOf(step, operatorsOf(before), operatorsOf);
        process.stdout.write(`late-writes: ${late} after ${step}: ${answers.join(', ')}\n`);
        expect(replaced(before, after), `after the ${step}`).toEqual([]);
        // A Revision that no manager has written since accepts its state, and is put right: see decision 24.
        const harmless = meanwhile === undefined ? /^(POST|APPLY) / : /^(POST|APPLY) |^PATCH .*\/revisions\/[^/]+ /;
        expect(answers.filter((answer) => !harmless.test(answer))).toEqual([]);
      }
    } finally {
      await leader.depose();
    }
  });

  async function arriveAll(): Promise<readonly string[]> {
    const answers: string[] = [];
    for (const write of held.values()) {
      const status = await write.arrive();
      if (status < 300) answers.push(`${write.what} is accepted`);
    }
    return answers;
  }
});

function operatorOf(text: string): string | undefined {
  return /late\d\d/i.exec(text)?.[0].toLowerCase();
}

/** Names each write so that it is the same of all operators, and different from those before it. */
function createCounter(): (of: string, what: string) => string {
  const seen = new Map<string, number>();
  return (of, what) => {
    const general = what
      .replace(/(\.v\d)[^/]*$/, '$1')
      .replace(/-[0-9a-f]{8}-0$/, '')
      .replaceAll(/late\d\d/gi, 'NAME')
      .replace(/ .*\/(\w+\/NAME)/, ' $1');
    const times = (seen.get(`${of} ${general}`) ?? 0) + 1;
    seen.set(`${of} ${general}`, times);
    return times === 1 ? general : `${general} for the ${times}. time`;
  };
}

async function publish(): Promise<void> {
  const { registry } = cluster();
  const packages = OPERATORS.map(async (name) => {
    const config = (which: string, version: string, place: object = {}): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `${name}-${which}`, ...place },
      data: { version },
    });
    const base = { name, kind: `Late${name.slice(-2)}` };
    const old = await publishTiny(registry, {
      ...base,
      version: '1.0.0',
      // The last one is the only object in its namespace, which no inventory names once it is pruned.
      further: [
        config('both', '1'),
        config('same', '1'),
        config('old', '1'),
        config('afar', '1', { namespace: afar(name) }),
      ],
    });
    const next = await publishTiny(registry, {
      ...base,
      version: '2.0.0',
      further: [config('both', '2'), config('same', '1'), config('new', '2')],
    });
    return packageDocuments(name, [
      { version: '1.0.0', image: old },
      { version: '2.0.0', image: next, replaces: '1.0.0' },
    ]);
  });
  await publishCatalog((await Promise.all(packages)).flat(), `${registry}/catalog:latest`);
}

async function ask(step: Step): Promise<void> {
  const version = VERSIONS[step];
  if (version === undefined) {
    for (const name of OPERATORS) await startRemoval(cluster(), { kind: 'subscription', name, namespace: name });
    return;
  }
  const spec = { channel: 'stable', version, edges: 'Ignore', onFailure: { bakeTime: '0s' } };
  await apply(cluster(), ...OPERATORS.map((name) => subscriptionTo(name, name, { package: name, ...spec })));
}

/** The operators that have not reached the result of the step. */
async function lacking(step: Step): Promise<readonly string[]> {
  const there = new Map((await list(cluster(), 'subscription')).map((one) => [one.metadata.name, one]));
  const version = VERSIONS[step];
  if (version === undefined) return OPERATORS.filter((name) => there.has(name));
  const hasArrived = runs(version);
  return OPERATORS.filter((name) => !there.has(name) || !hasArrived(there.get(name)!));
}

async function arrived(step: Step): Promise<void> {
  await until(`all have come to the end of the ${step}`, async () => (await lacking(step)).length === 0, {
    explain: () => cluster().kubectl(['get', 'subscriptions.slipway.dev,revisions.slipway.dev', '-A', '-o', 'wide']),
  });
  if (step === 'removal') return;
  // One that was made and never became active has no conditions.
  await until('the Revisions have nothing left to do', async () =>
    (await list<Revision>(cluster(), 'revision')).every(
      ({ spec, status: { conditions } = {} }) =>
        (spec.state === 'Archived' || conditions !== undefined) &&
        conditions?.some(({ type }) => type === 'Reconciling') !== true,
    ),
  );
}

/** Without the history: a Revision that arrives late is in it, with its Secrets, until it is forgotten. */
function operatorsOf({ contents, uids }: State): State {
  const isOperators = ([name]: readonly [string, unknown]): boolean =>
    !/^(Revision\.slipway\.dev|Secret\.) /.test(name);
  return { contents: new Map([...contents].filter(isOperators)), uids: new Map([...uids].filter(isOperators)) };
}

/** What there is of the operators, once nothing changes any more. */
async function standstill(): Promise<State> {
  let last = await stateOfOperators();
  await until('nothing changes any more', async () => {
    const before = last;
    last = await stateOfOperators();
    return differences(before, last).length === 0;
  });
  return last;
}

/** What there is of the operators, once that is as it would be if nothing had been late. */
async function endOf(
  step: Step,
  expected: State = undisturbed.get(step)!,
  select: (state: State) => State = (all) => all,
): Promise<State> {
  let state: State | undefined;
  await until(
    `the end is that of an undisturbed ${step}`,
    async () => {
      state = select(await stateOfOperators());
      return differences(expected, state).length === 0;
    },
    { explain: () => differences(expected, state!).join('\n') },
  );
  return state!;
}

async function stateOfOperators(): Promise<State> {
  const { contents, uids } = await readState(cluster());
  const isOurs = ([name]: readonly [string, unknown]): boolean =>
    /late\d\d/i.test(name) && !/^(Namespace|ServiceAccount\. .*\/default|ConfigMap\. .*\/kube-root-ca)/.test(name);
  return { contents: new Map([...contents].filter(isOurs)), uids: new Map([...uids].filter(isOurs)) };
}
