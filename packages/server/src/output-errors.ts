/** A stream of the process, as far as its errors go. */
interface Output {
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
  off(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/**
 * Lets the process go on where what it prints cannot be written: a full disk, a terminal that is gone, a reader that has stopped reading. Without a
 * listener such an error would end it, with every call in flight. Only the first two make its exit code 1.
 */
export function outliveOutputErrors(outputs: readonly Output[] = [process.stdout, process.stderr]): void {
  for (const output of outputs) {
    output.off('error', note);
    output.on('error', note);
  }
}

function note({ code }: NodeJS.ErrnoException): void {
  if (code !== 'EPIPE') process.exitCode = 1;
}
