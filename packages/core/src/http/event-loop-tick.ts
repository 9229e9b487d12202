/**
 * Numbers the turns of the event loop in which it is called. All callers of a turn share one callback, because with many streams one callback
 * each takes noticeable time.
 */
export function eventLoopTick(): () => number {
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
