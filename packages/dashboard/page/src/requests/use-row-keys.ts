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

/** While a panel is open: arrows go to the next row or the one before, Escape closes. @returns what goes there; `undefined` for nowhere. */
export function useRowKeys(keys: RowKeys): (by: -1 | 1) => (() => void) | undefined {
  const latest = useRef(keys);
  latest.current = keys;
  const isOpen = keys.opened !== undefined;
  const stepOf = (by: number) => {
    const { ids, opened = '', open } = latest.current;
    const at = ids.indexOf(opened);
    const next = at < 0 ? undefined : ids[at + by];
    if (next === undefined) return undefined;
    return () => {
      const link = document.getElementById(linkId(next));
      // The focus goes along the rows where it is in one.
      if (document.activeElement?.id === linkId(opened)) link?.focus();
      link?.scrollIntoView({ block: 'nearest' });
      open(next);
    };
  };
  useEffect(() => {
    if (!isOpen) return undefined;
    const onKey = (event: KeyboardEvent) => {
      const isOther = event.target instanceof Element && event.target.closest(OTHERS) !== null;
      if (event.defaultPrevented || isOther || event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === 'Escape') latest.current.close();
      const step = stepOf(STEPS[event.key] ?? 0);
      if (step === undefined || STEPS[event.key] === undefined) return;
      event.preventDefault();
      step();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isOpen]);
  return stepOf;
}
