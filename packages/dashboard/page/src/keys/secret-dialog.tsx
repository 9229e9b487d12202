import { useId } from 'preact/hooks';
import type { CreatedKey } from '../../../src/api/contract.js';
import { CopyButton } from '../ui/copy-button.js';
import { Dialog } from '../ui/dialog.js';

/** Shows a secret once: the server cannot show it again. */
export function SecretDialog({ created, onClose }: { created: CreatedKey; onClose: () => void }) {
  const id = useId();
  return (
    <Dialog title={`Secret of ${created.key.label}`} onClose={onClose}>
      <p>Copy it now. It is shown only this once.</p>
      <div class="field">
        <label for={id}>Secret</label>
        <input
          id={id}
          readOnly
          class="secret"
          value={created.secret}
          onFocus={(event) => event.currentTarget.select()}
        />
      </div>
      <div class="buttons">
        <CopyButton text={created.secret} label="Copy the secret" />
        <button type="button" class="primary" onClick={onClose}>
          I have stored it
        </button>
      </div>
    </Dialog>
  );
}
