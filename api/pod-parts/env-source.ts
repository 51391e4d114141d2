/** `valueFrom` of an environment variable of a container. */
import type * as z from 'zod';
import { fieldRef, flag, line, part, resourceFieldRef } from './parts.ts';

const keyOf = (): z.ZodType => part({ name: line(), key: line(), optional: flag() });

export const EnvSourcePart = part({
  fieldRef: fieldRef(),
  resourceFieldRef: resourceFieldRef(),
  configMapKeyRef: keyOf(),
  secretKeyRef: keyOf(),
  fileKeyRef: part({ volumeName: line(), path: line(), key: line(), optional: flag() }),
});
