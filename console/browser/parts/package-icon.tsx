/** The icon of a package: an image from the console itself, never a part of the page. */
import { useSignal } from '@preact/signals';
import { portKey } from '../shell/state.ts';
import { Icon } from './icon.tsx';

export function PackageIcon({ src }: { readonly src: string | undefined }) {
  const isBroken = useSignal(false);
  const own = src?.startsWith('/api/icon/') === true ? portKey.in(src) : undefined;
  return (
    <span class="package-icon">
      {own !== undefined && !isBroken.value ? (
        <img src={own} alt="" loading="lazy" decoding="async" onError={() => (isBroken.value = true)} />
      ) : (
        <Icon name="box" />
      )}
    </span>
  );
}
