import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { postJson } from '../api.js';
import { useAction } from '../use-load.js';
import { ErrorNotice } from './parts.js';

interface DialogProps {
  readonly title: string;
  /** Whether Escape has to leave it open. */
  readonly isHeld?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog. The browser keeps the focus inside, and gives it back at the end. Escape closes it unless it is held. */
export function Dialog({ title, isHeld = false, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  const onCancel = (event: Event) => {
    if (isHeld) event.preventDefault();
    else onClose();
  };
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={onCancel}
      // Browsers ask once: a second Escape closes whatever the first was answered.
      onClose={() => isHeld && ref.current?.showModal()}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface ActionDialogProps extends DialogProps {
  /** On the button that does it. */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** The dialog stays open where it fails, and says why. */
  readonly onAction: () => Promise<unknown>;
}

/** A form in a dialog, or a question before what cannot be undone. */
export function ActionDialog({ action, isDangerous = false, onAction, children, ...dialog }: ActionDialogProps) {
  const { isBusy, error, run } = useAction();
  return (
    <Dialog {...dialog}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(onAction);
        }}
      >
        {children}
        <ErrorNotice error={error} />
        <div class="buttons">
          <button type="button" onClick={dialog.onClose}>
            Cancel
          </button>
          <button type="submit" class={isDangerous ? 'danger' : 'primary'} disabled={isBusy}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface ConfirmDialogProps<T> extends Omit<ActionDialogProps, 'onAction'> {
  /** Where the change is posted to. */
  readonly path: string;
  readonly onDone: (result: T) => void;
}

/** Asks before a change that needs no fields. */
export function ConfirmDialog<T>({ path, onDone, children, ...dialog }: ConfirmDialogProps<T>) {
  return (
    <ActionDialog {...dialog} onAction={async () => onDone(await postJson<T>(path, {}))}>
      <p>{children}</p>
    </ActionDialog>
  );
}
