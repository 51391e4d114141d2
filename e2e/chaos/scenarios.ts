/** The work that a manager is killed in the middle of: the scene where each scenario begins, and the acts of a person. */
import { isBlocked, isRolledBackTo, type Person } from './person.ts';

export interface Scenario {
  readonly name: string;
  readonly because: string;
  /** From an empty namespace to the scene; the manager is not disturbed meanwhile. */
  readonly begin: (person: Person) => Promise<void>;
  /** The acts that the manager is disturbed during; resolves when their end is reached. */
  readonly act: (person: Person) => Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'install',
    because: 'Revision, Secrets and objects are created for the first time',
    begin: nothing,
    act: installOld,
  },
  {
    name: 'upgrade',
    because: 'two Revisions change places, and leftovers are pruned',
    begin: installOld,
    act: upgrade,
  },
  {
    name: 'failed upgrade',
    because: 'the quarantine is noted before the version from before is restored',
    begin: installOld,
    async act(person) {
      const { old, bad } = person.operator.versions;
      const onFailure = { bakeTime: '0s', progressDeadline: '3s' };
      await person.subscribe({ version: `${old} || ${bad}`, onFailure });
      await person.awaitSubscription(`${old} is restored`, isRolledBackTo(old));
    },
  },
  ...(['Retain', 'Delete'] as const).map((customResources): Scenario => ({
    name: `removal, ${customResources}`,
    because: 'objects are deleted in steps, and custom resources by the policy',
    begin: (person) => installWithInstance(person, customResources),
    act: uninstall,
  })),
  {
    name: 'removal, Block',
    because: 'nothing is deleted before the custom resources are gone',
    begin: (person) => installWithInstance(person, 'Block'),
    async act(person) {
      const before = await person.readObjects();
      await person.unsubscribe();
      await person.awaitSubscription('the removal waits', isBlocked);
      await person.requireAll(before);
      await person.deleteInstance();
      await person.awaitGone();
    },
  },
  {
    name: 'removal in the middle of an upgrade',
    because: 'objects of two Revisions are deleted',
    begin: installOld,
    async act(person) {
      await person.subscribe({ version: person.operator.versions.next });
      await person.awaitRevision(2);
      await uninstall(person);
    },
  },
  {
    name: 'configuration change',
    because: 'a Revision of the same version takes over',
    begin: installOld,
    async act(person) {
      const { old } = person.operator.versions;
      await person.subscribe({ version: old, config: { env: [{ name: 'CHAOS', value: 'yes' }] } });
      await person.awaitRevisionInstalled(2);
    },
  },
  {
    name: 'takeover of retained CRDs',
    because: 'CRDs and custom resources of an earlier Subscription are kept',
    async begin(person) {
      await installWithInstance(person, 'Retain');
      await uninstall(person);
    },
    act: installOld,
  },
  {
    name: 'adoption',
    because: 'objects of a person are taken over, not replaced',
    begin: (person) => person.makeAdoptable(),
    act: installOld,
  },
];

async function installOld(person: Person): Promise<void> {
  await person.subscribe({ version: person.operator.versions.old });
  await person.awaitVersion(person.operator.versions.old);
}

async function upgrade(person: Person): Promise<void> {
  await person.subscribe({ version: person.operator.versions.next });
  await person.awaitVersion(person.operator.versions.next);
}

async function installWithInstance(person: Person, customResources: string): Promise<void> {
  const { old } = person.operator.versions;
  await person.subscribe({ version: old, uninstall: { customResources } });
  await person.awaitVersion(old);
  await person.createInstance();
}

async function uninstall(person: Person): Promise<void> {
  await person.unsubscribe();
  await person.awaitGone();
}
