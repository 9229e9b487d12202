import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
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

/** Holds the place of what is loading. */
export function Skeleton({ what }: { what: string }) {
  return <div class="skeleton" role="status" aria-label={`Loading: ${what}`} />;
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

/** An amount on one line, with all its digits as its title. */
export function Money({ amount }: { amount: string }) {
  return (
    <span class={amount.startsWith('-') ? 'amount bad' : 'amount'} title={usd(amount)}>
      {shortUsd(amount)}
    </span>
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
