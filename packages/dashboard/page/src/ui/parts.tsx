import { type ComponentChildren, createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { ApiError, messageOf } from '../api.js';
import { shortUsd, usd } from '../format.js';

/** A row of numbers with their names. */
export function Tiles({ children }: { children: ComponentChildren }) {
  return <dl class="tiles">{children}</dl>;
}

export function Tile({ name, note, children }: { name: string; note?: string | null; children: ComponentChildren }) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd>{children}</dd>
      {note && <dd class="hint">{note}</dd>}
    </div>
  );
}

/** One of the facts of a `<dl class="facts">`. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface RowActionsProps {
  /** The subject of the row, for screen readers: the button "Revoke" is read as "Revoke demo". */
  readonly of: string;
  readonly actions: Readonly<Record<string, () => void>>;
}

/** The action buttons of a row. */
export function RowActions({ of, actions }: RowActionsProps) {
  return (
    <span class="row-actions">
      {Object.entries(actions).map(([name, run]) => (
        <button key={name} type="button" aria-label={`${name} ${of}`} onClick={run}>
          {name}
        </button>
      ))}
    </span>
  );
}

/** An error with a remedy, shown where it happened; empty without an error. */
export function ErrorNotice({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  if (error === undefined || error === null) return null;
  const field = error instanceof ApiError ? error.field : null;
  return (
    <div class="notice error" role="alert">
      <p>
        {field !== null && <strong>{field}: </strong>}
        {messageOf(error)}
      </p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Says that a list is empty, and how to fill it. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** A hard space: an empty line is as high as one with text. */
const BLANK = '\u00a0';

/** Holds the place of what is loading, in its size: of a number of tiles, else of a table. */
export function Skeleton({ what, tiles = 0 }: { what: string; tiles?: number }) {
  return (
    <div class={tiles > 0 ? 'skeleton of-tiles' : 'skeleton'} role="status" aria-label={`Loading: ${what}`}>
      {tiles > 0 && (
        <Tiles>
          {Array.from({ length: tiles }, (_, index) => (
            <Tile key={index} name={BLANK} note={BLANK}>
              {BLANK}
            </Tile>
          ))}
        </Tiles>
      )}
    </div>
  );
}

/** A text that is cut if it is too long, with the whole as its title; with `href` as a link. */
export function Cut({ href, children }: { href?: string | undefined; children: string }) {
  const text = (
    <span class="cut" title={children}>
      {children}
    </span>
  );
  return href === undefined ? text : <a href={href}>{text}</a>;
}

/** Whether all amounts are shown with all their digits: a title needs a pointer. */
export const ExactAmounts = createContext(false);

/** An amount on one line, with all its digits as its title. */
export function Money({ amount }: { amount: string }) {
  const isExact = useContext(ExactAmounts);
  return (
    <span class={amount.startsWith('-') ? 'amount bad' : 'amount'} title={usd(amount)}>
      {isExact ? usd(amount) : shortUsd(amount)}
    </span>
  );
}

/** A limit, and when it starts over: `$25.00 monthly`. */
export function Limit({ limit, reset }: { limit: string | null; reset: string | null }) {
  if (limit === null) return 'none';
  return (
    <>
      <Money amount={limit} />
      {reset !== null && ` ${reset}`}
    </>
  );
}

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  readonly onCopied?: () => void;
}

/** Copies a text. Says so if the browser forbids copying, as on pages without TLS. */
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
