import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface MenuProps {
  readonly label: string;
  /** @param close closes the menu; its button has the focus then. */
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button with a small form below it, which closes with Escape and when something else is used. */
export function Menu({ label, children }: MenuProps) {
  const ref = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const leave = ({ target }: Event) => {
      if (ref.current !== null && target instanceof Node && !ref.current.contains(target)) ref.current.open = false;
    };
    const events = ['pointerdown', 'focusin'] as const;
    for (const event of events) addEventListener(event, leave);
    return () => {
      for (const event of events) removeEventListener(event, leave);
    };
  }, []);
  const close = () => {
    if (ref.current === null) return;
    ref.current.open = false;
    ref.current.querySelector('summary')?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || ref.current?.open !== true) return;
    // Of what is open below, such as a panel, nothing closes.
    event.stopPropagation();
    close();
  };
  return (
    <details ref={ref} class="menu" onKeyDown={onKeyDown}>
      <summary class="button">{label}</summary>
      <div class="menu-body">{children(close)}</div>
    </details>
  );
}
