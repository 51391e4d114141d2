/** `slipway install`: creates a Subscription. */
import { isAlreadyExists } from '../../../api/api-answers.ts';
import { API_VERSION } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/object.ts';
import { describeInstall } from '../../../report/act-sentences.ts';
import type { Environment } from '../environment.ts';
import { withCluster } from '../input/connection.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { Outcome } from '../outcome.ts';
import type { Intent } from '../../../report/acts.ts';
import { carryOut, type ActFlags } from './carry-out.ts';

export interface InstallFlags extends ActFlags {
  readonly name?: string;
  readonly catalog?: string;
  readonly channel?: string;
  readonly version?: string;
  readonly approval?: string;
  readonly serviceAccount?: string;
  readonly watchNamespace?: readonly string[];
}

export async function install(environment: Environment, packageName: string, flags: InstallFlags): Promise<Outcome> {
  return withCluster(environment, flags, async ({ client, namespace }) => {
    const intent = intendInstall(packageName, namespace, flags);
    try {
      return await carryOut(client, intent, flags, environment.signal);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const name = `${namespace}/${flags.name ?? packageName}`;
      throw invalidInput(
        `Subscription ${name} exists already`,
        `Change it by \`slipway upgrade ${name}\`, or choose another name by --name`,
        error,
      );
    }
  });
}

/** The Subscription that the flags describe; the API server checks its fields. @throws ReasonedError InputInvalid */
export function intendInstall(packageName: string, namespace: string, flags: InstallFlags): Intent {
  const { name = packageName, catalog, channel, version, approval, serviceAccount, watchNamespace } = flags;
  if (!OBJECT_NAME.test(name))
    throw invalidInput(`${JSON.stringify(name)} cannot be the name of a Subscription`, 'Choose one by --name');
  const spec = {
    package: packageName,
    ...(catalog !== undefined && { catalog }),
    ...(channel !== undefined && { channel }),
    ...(version !== undefined && { version }),
    ...(approval !== undefined && { approval }),
    ...(serviceAccount !== undefined && { serviceAccountName: serviceAccount }),
    ...(watchNamespace !== undefined && { watchNamespaces: watchNamespace }),
  };
  const body: KubeObject = { apiVersion: API_VERSION, kind: 'Subscription', metadata: { name, namespace }, spec };
  return {
    acts: [{ do: 'create', body }],
    message: describeInstall(`${namespace}/${name}`, packageName, approval === 'Manual'),
  };
}

const OBJECT_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
