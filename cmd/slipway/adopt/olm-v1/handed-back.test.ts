/** The end of a way back to OLM v1, in words. */
import { describe, expect, test } from 'vitest';
import { extensionOf } from '../../../../adoption/olm-v1/testing/extension.ts';
import { BACKUP } from '../../../../adoption/olm-v1/testing/handed-over.ts';
import type { KubeObject } from '../../../../api/object.ts';
import { fieldsOf } from '../../../../api/untyped.ts';
import { describeHandedBack } from './handed-back.ts';

const { olm } = BACKUP;
const SAME = { bundle: 'gadget-operator.v1.0.0', version: '1.0.0' };
const NEWER = { bundle: 'gadget-operator.v1.1.0', version: '1.1.0' };
const FIRST = 'ClusterExtension gadget is handed back to OLM';

function changed(spec: object, metadata: object = {}): KubeObject {
  return {
    ...olm,
    metadata: { ...olm.metadata, uid: 'new', ...metadata },
    spec: { ...fieldsOf(olm['spec']), ...spec },
  };
}

describe('an operator is handed back', () => {
  test.each([
    { because: 'all is as it was', extension: changed({}), installed: SAME, text: `${FIRST}\n`, fields: [] },
    {
      because: 'the offer has left nothing',
      extension: changed({}, { annotations: {}, finalizers: ['olm.operatorframework.io/x'], generation: 9 }),
      installed: SAME,
      text: `${FIRST}\n`,
      fields: [],
    },
    {
      because: 'Slipway has upgraded it',
      extension: changed({}),
      installed: NEWER,
      text: `${FIRST} in version 1.1.0; it had come in version 1.0.0\n`,
      fields: [],
    },
    {
      because: 'its settings were changed, and one of them is a secret',
      extension: changed(
        { config: { configType: 'Inline', inline: { deploymentConfig: { env: [{ name: 'TOKEN', value: 'hush' }] } } } },
        { labels: { team: 'b' } },
      ),
      installed: SAME,
      text: `${FIRST}\nFields that differ from the backup:\n  metadata.labels.team\n  spec.config\n`,
      fields: ['metadata.labels.team', 'spec.config'],
    },
  ])('and the text says how it differs: $because', ({ extension, installed, text, fields }) => {
    const described = describeHandedBack({ backup: BACKUP, installed, extension });
    expect(described.text).toBe(text);
    expect(described.data).toMatchObject({ step: 'Done', version: installed.version, versionBefore: '1.0.0', fields });
    expect(JSON.stringify(described)).not.toContain('hush');
  });

  test('a hand-over that is only called off has no version to name', () => {
    const { text } = describeHandedBack({
      backup: BACKUP,
      installed: { bundle: '', version: '' },
      extension: extensionOf(),
    });
    expect(text).toBe('The hand-over of ClusterExtension gadget is called off: OLM has the operator as before\n');
  });
});
