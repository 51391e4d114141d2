/** Text to take along: a command or a document, with a button that copies it. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { announce } from '../shell/announce.tsx';
import { Icon } from './icon.tsx';

interface CopyableProps {
  /** Copied as it is. */
  readonly text: string;
  /** Names the text for readers of the screen: `the command`, `the YAML`. */
  readonly what: string;
  /** Several lines, or one that wraps. */
  readonly block?: boolean;
  /** Words on the button, if more than "Copy". */
  readonly label?: string;
}

/** A text in code style with a button that copies it. */
export function Copyable({ text, what, block = false, label }: CopyableProps) {
  const code = useRef<HTMLElement>(null);
  return (
    <div class={block ? 'copyable copyable-block' : 'copyable'}>
      {block ? (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <pre tabIndex={0} role="group" aria-label={what}>
          <code ref={code}>{text}</code>
        </pre>
      ) : (
        <code ref={code}>{text}</code>
      )}
      <CopyButton text={text} what={what} label={label ?? 'Copy'} source={code} />
    </div>
  );
}

interface CopyButtonProps {
  readonly text: string;
  readonly what: string;
  readonly label: string;
  /** Selected if the browser allows no copying, so that the person can copy by keyboard. */
  readonly source: { readonly current: HTMLElement | null };
}

function CopyButton({ text, what, label, source }: CopyButtonProps) {
  const done = useSignal(false);
  async function copy(): Promise<void> {
    done.value = await copyText(text);
    if (!done.value && source.current !== null) window.getSelection()?.selectAllChildren(source.current);
    announce(done.value ? `Copied ${what}` : `The browser allows no copying. Press Ctrl+C: ${what} is selected`);
    window.setTimeout(() => (done.value = false), 2000);
  }
  return (
    <button type="button" class="quiet" aria-label={`${label}: ${what}`} onClick={() => void copy()}>
      <Icon name={done.value ? 'check' : 'copy'} />
      <span>{done.value ? 'Copied' : label}</span>
    </button>
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
