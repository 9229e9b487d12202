import { type ComponentChildren, createContext } from 'preact';
import { useState } from 'preact/hooks';
import type { CreatedKey } from '../../../src/api/contract.js';
import { SecretDialog } from './secret-dialog.js';

/** Shows the secret of a key that was made, whichever view is there by then. */
export const ShowSecret = createContext<(created: CreatedKey) => void>(() => undefined);

/** Keeps new secrets above the views, since a view can be left at any time: one dialog after the other. */
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
