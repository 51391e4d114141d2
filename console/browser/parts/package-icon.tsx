/** The icon of a package: an image from the console itself, never a part of the page. */
import { useSignal } from '@preact/signals';
import { Icon } from './icon.tsx';

export function PackageIcon({ src }: { readonly src: string | undefined }) {
  const isBroken = useSignal(false);
  const isOwn = src?.startsWith('/api/icon/') === true;
  return (
    <span class="package-icon">
      {isOwn && !isBroken.value ? (
        <img src={src} alt="" loading="lazy" decoding="async" onError={() => (isBroken.value = true)} />
      ) : (
        <Icon name="box" />
      )}
    </span>
  );
}
