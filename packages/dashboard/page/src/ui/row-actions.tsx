interface RowActionsProps {
  /** What the row is about, for screen readers: a button is called "Revoke" on the screen and "Revoke demo" there. */
  readonly of: string;
  readonly actions: Readonly<Record<string, () => void>>;
}

/** The buttons of a row. */
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
