import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface SidePanelProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A panel beside a list, which stays usable. Escape closes the panel; then the focus is where it was. */
export function SidePanel({ title, onClose, children }: SidePanelProps) {
  const ref = useRef<HTMLElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    ref.current?.focus();
    return () => void (opener instanceof HTMLElement && opener.isConnected && opener.focus());
  }, []);
  return (
    <aside
      ref={ref}
      class="side-panel"
      aria-labelledby={id}
      tabIndex={-1}
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
    >
      <div class="title-row">
        <h2 id={id}>{title}</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {children}
    </aside>
  );
}
