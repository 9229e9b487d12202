import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { sendJson } from '../api.js';
import { useAction } from '../use-load.js';
import { ErrorNotice } from './parts.js';

interface DialogProps {
  readonly title: string;
  /** Whether Escape must not close the dialog. */
  readonly isHeld?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** The control that opened the last dialog. A dialog may follow another, such as a secret after its form. */
let opener: HTMLElement | null = null;

/** A modal dialog. The browser traps the focus; at the end the opener has it again. Escape closes the dialog unless it is held. */
export function Dialog({ title, isHeld = false, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement && activeElement.matches('button, a')) opener = activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      opener?.focus();
    };
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
      // Browsers block only one Escape: the second closes the dialog anyway, so reopen it.
      onClose={() => isHeld && ref.current?.showModal()}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface ActionDialogProps extends DialogProps {
  /** The label of the submit button. */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** After a failure the dialog stays open and shows the error. */
  readonly onAction: () => Promise<unknown>;
}

/** A dialog with a form, or a confirmation of an irreversible action. */
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
  readonly path: string;
  /** Default: `POST`. */
  readonly method?: 'POST' | 'DELETE';
  readonly onDone: (result: T) => void;
}

/** Asks for confirmation of a change without fields. */
export function ConfirmDialog<T>({ path, method = 'POST', onDone, children, ...dialog }: ConfirmDialogProps<T>) {
  return (
    <ActionDialog {...dialog} onAction={async () => onDone(await sendJson<T>(method, path, {}))}>
      <p>{children}</p>
    </ActionDialog>
  );
}
