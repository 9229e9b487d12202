/** A stream of the process; only its errors matter here. */
interface Output {
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
  off(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/**
 * Keeps the process alive if its output cannot be written: a full disk, a closed terminal, a reader that has stopped. Without a listener the error
 * would end the process with every call in flight. Only the first two set the exit code to 1.
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
