import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface SidePanelProps {
  readonly title: string;
  /** Beside the button that closes it. */
  readonly actions?: ComponentChildren;
  readonly onClose: () => void;
  /** What has the focus afterwards. Default: what had it before. */
  readonly focusAfter?: (() => HTMLElement | null) | undefined;
  readonly children: ComponentChildren;
}

/** A panel beside a list, which stays usable. Escape closes the panel. */
export function SidePanel({ title, actions, onClose, focusAfter, children }: SidePanelProps) {
  const ref = useRef<HTMLElement>(null);
  const after = useRef(focusAfter);
  after.current = focusAfter;
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    ref.current?.focus();
    return () => {
      const next = after.current?.() ?? opener;
      if (next instanceof HTMLElement && next.isConnected) next.focus();
    };
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
        <div class="buttons">
          {actions}
          <button type="button" onClick={onClose}>
            Close
          </button>
        </div>
      </div>
      {children}
    </aside>
  );
}
