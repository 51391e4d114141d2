/**
 * Buttons, each beside the kubectl line that does the same. An act that the person may not do is explained. No act is sent while the
 * page may show something else than its buttons do, and a dialog sends the act that it showed when it was opened.
 */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import { useId } from 'preact/hooks';
import type { Button } from '../../data/models.ts';
import { announce } from '../shell/announce.tsx';
import { live, signedIn } from '../shell/state.ts';
import { Confirm } from './confirm.tsx';
import { Copyable } from './copy.tsx';
import { isTyping } from './query.ts';

interface ActsProps {
  readonly buttons: readonly Button[];
  /** Whether the first one is the main act of the view. */
  readonly main?: boolean;
  /** The view that shows the effect, to which a person goes after success. */
  readonly after?: string | undefined;
}

export function Acts({ buttons, main = false, after }: ActsProps) {
  if (buttons.length === 0) return null;
  return (
    <ul class="acts">
      {buttons.map((button, index) => (
        <li key={button.label}>
          <Act button={button} isMain={main && index === 0} after={after} />
        </li>
      ))}
    </ul>
  );
}

interface ActProps {
  readonly button: Button;
  readonly isMain: boolean;
  readonly after: string | undefined;
}

function Act({ button, isMain, after }: ActProps) {
  const { route } = useLocation();
  const asked = useSignal<Button | undefined>(undefined);
  const isSent = useSignal(false);
  const why = useId();
  const isRefused = button.allowed === false;

  async function send({ action }: Button): Promise<void> {
    asked.value = undefined;
    isSent.value = true;
    const { isDone, sentence } = await signedIn.act(action);
    isSent.value = false;
    announce(sentence, { isBad: !isDone });
    if (isDone && after !== undefined) route(after);
  }

  function press(): void {
    if (isRefused || isSent.value || !isShown()) return;
    if (button.confirm === undefined && button.typed === undefined) void send(button);
    else asked.value = button;
  }

  return (
    <div class={isRefused ? 'act act-refused' : 'act'}>
      <button
        type="button"
        class={kindOf(button, isMain)}
        aria-disabled={isRefused || isSent.value || !isShown()}
        {...(button.because !== undefined && { 'aria-describedby': why })}
        onClick={press}
      >
        {isSent.value ? 'Sending…' : button.label}
      </button>
      <Copyable text={button.command} what={`the command of ${button.label}`} block={button.command.includes('\n')} />
      {button.because !== undefined && (
        <p id={why} class="act-why">
          {button.because}
        </p>
      )}
      {asked.value !== undefined && (
        <Confirm button={asked.value} send={send} close={() => (asked.value = undefined)} />
      )}
    </div>
  );
}

/** Whether the buttons are those of the page that the person sees: of its address, of its fields, and fresh. */
function isShown(): boolean {
  return live.isCurrent && !isTyping.value;
}

function kindOf({ typed }: Button, isMain: boolean): string {
  if (typed !== undefined) return 'destroy';
  return isMain ? 'main' : '';
}
