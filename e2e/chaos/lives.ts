/** The lives of many Subscriptions: each is installed, and then goes one of several ways to an end that is always the same. */
import { isRolledBackTo, type Person } from './person.ts';

interface Life {
  readonly name: string;
  /** From the moment when the old version runs; `deadline` is the progress deadline of an upgrade that fails. */
  readonly live: (person: Person, deadline: string) => Promise<void>;
}

/** Long enough that an upgrade which works is not given up because of a fault. */
const PATIENT = { bakeTime: '0s', progressDeadline: '10m' };

export const LIVES: readonly Life[] = [
  { name: 'upgraded', live: upgrade },
  { name: 'configured', live: configure },
  {
    name: 'rolled back',
    async live(person, progressDeadline) {
      const { old, bad } = person.operator.versions;
      await person.subscribe({ version: `${old} || ${bad}`, onFailure: { bakeTime: '0s', progressDeadline } });
      await person.awaitSubscription(`${old} is restored`, isRolledBackTo(old));
    },
  },
  {
    name: 'uninstalled with its custom resources',
    async live(person) {
      const { old } = person.operator.versions;
      await person.createInstance();
      await person.subscribe({ version: old, onFailure: PATIENT, uninstall: { customResources: 'Delete' } });
      await uninstall(person);
    },
  },
  {
    name: 'uninstalled in the middle of an upgrade',
    async live(person) {
      await person.createInstance();
      await person.subscribe({ version: person.operator.versions.next, onFailure: PATIENT });
      await person.awaitRevision(2);
      await uninstall(person);
    },
  },
  {
    name: 'installed again',
    async live(person) {
      await person.createInstance();
      await uninstall(person);
      await install(person);
      await upgrade(person);
    },
  },
];

/** The life of the Subscription of that number. */
export function lifeOf(number: number): Life {
  return LIVES[number % LIVES.length] as Life;
}

/** Installs the old version. */
export async function install(person: Person): Promise<void> {
  const { old } = person.operator.versions;
  await person.subscribe({ version: old, onFailure: PATIENT });
  await person.awaitVersion(old);
}

async function upgrade(person: Person): Promise<void> {
  const { next } = person.operator.versions;
  await person.subscribe({ version: next, onFailure: PATIENT });
  await person.awaitVersion(next);
}

async function configure(person: Person): Promise<void> {
  const { old } = person.operator.versions;
  await person.subscribe({ version: old, onFailure: PATIENT, config: { env: [{ name: 'CHAOS', value: 'yes' }] } });
  await person.awaitRevisionInstalled(2);
  await upgrade(person);
}

async function uninstall(person: Person): Promise<void> {
  await person.unsubscribe();
  await person.awaitGone();
}
