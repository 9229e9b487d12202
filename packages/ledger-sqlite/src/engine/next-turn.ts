/** Lets the event loop do what else is waiting, between two slices of a long reading. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
