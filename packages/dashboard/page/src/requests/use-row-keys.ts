import { useEffect, useRef } from 'preact/hooks';
import { linkId } from './columns.js';

interface RowKeys {
  /** Of the rows, in their order. */
  readonly ids: readonly string[];
  /** The row whose panel is open. */
  readonly opened: string | undefined;
  open(id: string): void;
  close(): void;
}

const STEPS: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 };
/** They need arrows themselves. */
const OTHERS = 'input, select, textarea, pre, dialog, .menu';

/** While a panel is open: arrows go to the next row or the one before, Escape closes. */
export function useRowKeys(keys: RowKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  const isOpen = keys.opened !== undefined;
  useEffect(() => {
    if (!isOpen) return undefined;
    const onKey = (event: KeyboardEvent) => {
      const isOther = event.target instanceof Element && event.target.closest(OTHERS) !== null;
      if (event.defaultPrevented || isOther || event.altKey || event.ctrlKey || event.metaKey) return;
      const { ids, opened = '', open, close } = latest.current;
      if (event.key === 'Escape') close();
      const step = STEPS[event.key];
      const next = step && ids.includes(opened) ? ids[ids.indexOf(opened) + step] : undefined;
      if (next === undefined) return;
      event.preventDefault();
      const link = document.getElementById(linkId(next));
      // The focus goes along the rows where it is in one.
      if (document.activeElement?.id === linkId(opened)) link?.focus();
      link?.scrollIntoView({ block: 'nearest' });
      open(next);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isOpen]);
}
