import { type ComponentChildren, createContext } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import type { CreatedKey } from '../../../src/api/contract.js';
import { Dialog } from '../ui/dialog.js';
import { CopyButton } from '../ui/parts.js';

/** Shows the secret of a new key, whichever view is open. */
export const ShowSecret = createContext<(created: CreatedKey) => void>(() => undefined);

/** Shows new secrets above the views, one dialog at a time, so that leaving a view loses no secret. */
export function NewSecrets({ children }: { children: ComponentChildren }) {
  const [secrets, setSecrets] = useState<readonly CreatedKey[]>([]);
  const [first] = secrets;
  return (
    <ShowSecret.Provider value={(created) => setSecrets((before) => [...before, created])}>
      {children}
      {first && (
        <SecretDialog
          key={first.key.id}
          created={first}
          onClose={() => setSecrets((before) => before.filter((each) => each !== first))}
        />
      )}
    </ShowSecret.Provider>
  );
}

/** Shows a secret once: the server cannot show it again. The dialog stays until the secret is copied or confirmed as stored. */
function SecretDialog({ created, onClose }: { created: CreatedKey; onClose: () => void }) {
  const id = useId();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (isCopied) return undefined;
    // Makes the browser ask before leaving the page.
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
