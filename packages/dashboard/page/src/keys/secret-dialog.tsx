import { useEffect, useId, useState } from 'preact/hooks';
import type { CreatedKey } from '../../../src/api/contract.js';
import { CopyButton } from '../ui/copy-button.js';
import { Dialog } from '../ui/dialog.js';

/** Shows a secret once: the server cannot show it again. So it stays until it was copied, or someone says that it is stored. */
export function SecretDialog({ created, onClose }: { created: CreatedKey; onClose: () => void }) {
  const id = useId();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (isCopied) return undefined;
    // The browser asks before it leaves the page.
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isCopied]);
  return (
    <Dialog title={`Secret of ${created.key.label}`} isHeld={!isCopied} onClose={onClose}>
      <p>Copy it now. It is shown only this once.</p>
      <div class="field">
        <label for={id}>Secret</label>
        <input
          id={id}
          readOnly
          class="secret"
          value={created.secret}
          onFocus={(event) => event.currentTarget.select()}
          onCopy={() => setCopied(true)}
        />
      </div>
      <div class="buttons">
        <CopyButton text={created.secret} label="Copy the secret" onCopied={() => setCopied(true)} />
        <button type="button" class="primary" onClick={onClose}>
          I have stored it
        </button>
      </div>
    </Dialog>
  );
}
