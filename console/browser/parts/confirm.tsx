/** The question before an act that cannot be taken back. */
import { useSignal } from '@preact/signals';
import type { Button } from '../../data/models.ts';
import { Copyable } from './copy.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmProps {
  readonly button: Button;
  readonly send: (button: Button) => Promise<void>;
  readonly close: () => void;
}

export function Confirm({ button, send, close }: ConfirmProps) {
  const typed = useSignal('');
  const isReady = button.typed === undefined || typed.value === button.typed;

  function submit(event: Event): void {
    event.preventDefault();
    if (isReady) void send(button);
  }

  return (
    <Dialog title={button.label} close={close}>
      <form class="confirm" onSubmit={submit}>
        <p>{button.confirm ?? `Really ${button.label.toLowerCase()}?`}</p>
        <Copyable text={button.command} what="the command" block />
        {button.typed !== undefined && (
          <label class="field">
            <span>
              Type <strong>{button.typed}</strong> to go on
            </span>
            <input
              autocomplete="off"
              spellcheck={false}
              onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
            />
          </label>
        )}
        <div class="row">
          <button type="submit" class={button.typed === undefined ? 'main' : 'destroy'} aria-disabled={!isReady}>
            {button.label}
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
