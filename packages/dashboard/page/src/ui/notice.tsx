import type { ComponentChildren } from 'preact';
import { ApiError, messageOf } from '../api.js';

/** An error where it happened, with what to do. Nothing where there is none. */
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

/** Says that there is nothing yet, and what to do next. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="empty" role="status">
      Loading {what}…
    </p>
  );
}
