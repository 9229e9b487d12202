let lastTurn = Promise.resolve();

/** Lets the event loop do its other work, between two slices of a long reading: of all readings under way, one continues in a turn. */
export function nextTurn(): Promise<void> {
  const turn = () =>
    new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  lastTurn = lastTurn.then(turn);
  return lastTurn;
}

/**
 * Reads slices of rows, each in a turn of the event loop of its own, until a slice is not full.
 *
 * @param read gets the last row before the slice.
 */
export async function* readSlices<Row>(
  size: number,
  read: (last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let rows: readonly Row[];
  let last: Row | undefined;
  do {
    rows = await read(last);
    last = rows.at(-1);
    yield rows;
    await nextTurn();
  } while (rows.length === size);
}
