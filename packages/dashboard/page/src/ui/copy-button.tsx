import { useState } from 'preact/hooks';

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  readonly onCopied?: () => void;
}

/** Copies a text. Where the browser does not allow it, as on pages without TLS, it says so. */
export function CopyButton({ text, label = 'Copy', onCopied }: CopyButtonProps) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
      onCopied?.();
    } catch {
      setSaid('Not allowed here: select the text and copy it');
    }
  };
  return (
    <span class="copy">
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>
      <span role="status" class="hint">
        {said}
      </span>
    </span>
  );
}
