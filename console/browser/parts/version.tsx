/** The version now and the one that is available. */
import { Icon } from './icon.tsx';

interface VersionStepProps {
  readonly installed: string | undefined;
  readonly available: string | undefined;
}

export function VersionStep({ installed, available }: VersionStepProps) {
  return (
    <span class="version-step">
      <span class="version">{installed ?? 'not installed'}</span>
      {available !== undefined && available !== installed && (
        <>
          <Icon name="arrow" />
          <span class="hidden">, available: </span>
          <span class="version version-next">{available}</span>
        </>
      )}
    </span>
  );
}
