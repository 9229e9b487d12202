import type { ComponentChildren } from 'preact';

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
