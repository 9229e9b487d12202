/**
 * Numbers the turns of the event loop in which it is called, with one callback for all callers of a turn: with many streams, one for each
 * takes noticeable time.
 */
export function createTurns(): () => number {
  let turn = 0;
  let isOver = true;

  return () => {
    if (isOver) {
      isOver = false;
      turn += 1;
      setImmediate(() => (isOver = true));
    }
    return turn;
  };
}
