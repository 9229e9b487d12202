import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { MoreButton } from '../ui/data-table.js';
import { ConfirmDialog } from '../ui/dialog.js';
import { Empty, ErrorNotice, RowActions, Skeleton } from '../ui/parts.js';
import { usePages } from '../use-load.js';

export interface PartDialogProps<Row> {
  /** Of all parts. */
  readonly path: string;
  /** The part to change; none for a new one. */
  readonly target: Row | undefined;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

interface PartListProps<Row> {
  readonly path: string;
  readonly isOperator: boolean;
  readonly caption: string;
  /** Shows what is loaded, each row with its actions. */
  readonly show: (rows: readonly Row[], actionsOf: (row: Row) => JSX.Element | null) => JSX.Element;
  readonly idOf: (row: Row) => string;
  readonly empty: string;
  /** Names the button for a new part. */
  readonly action: string;
  readonly setDialog: (props: PartDialogProps<Row>) => JSX.Element;
  /** Says what a deletion leads to. */
  readonly deletion: string;
}

/** Parts of an organization, such as its budgets, which operators set, change and delete by id. */
export function PartList<Row>(props: PartListProps<Row>) {
  const { path, isOperator, caption, show, idOf, empty, action, setDialog, deletion } = props;
  const parts = usePages<Row>(path);
  const [open, setOpen] = useState<{ readonly kind: 'set' | 'delete'; readonly target?: Row }>();
  const onClose = () => setOpen(undefined);
  const onDone = () => {
    onClose();
    parts.reload();
  };
  const { data, error, isLoading, reload } = parts;
  const actionsOf = (target: Row) =>
    isOperator ? (
      <RowActions
        of={idOf(target)}
        actions={{ Change: () => setOpen({ kind: 'set', target }), Delete: () => setOpen({ kind: 'delete', target }) }}
      />
    ) : null;
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && isLoading && <Skeleton what={caption} tiles={3} />}
      {data?.data.length === 0 && <Empty>{empty}</Empty>}
      {data !== undefined && data.data.length > 0 && show(data.data, actionsOf)}
      <MoreButton pages={parts} />
      {isOperator && (
        <button type="button" onClick={() => setOpen({ kind: 'set' })}>
          {action}
        </button>
      )}
      {open?.kind === 'set' && setDialog({ path, onDone, onClose, target: open.target })}
      {open?.kind === 'delete' && open.target && (
        <ConfirmDialog<unknown>
          {...{ onDone, onClose }}
          method="DELETE"
          path={`${path}/${encodeURIComponent(idOf(open.target))}`}
          title={`Delete ${idOf(open.target)}?`}
          action="Delete"
          isDangerous
        >
          {deletion}
        </ConfirmDialog>
      )}
    </>
  );
}
