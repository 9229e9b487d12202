import { isatty } from 'node:tty';

/** stdin, stdout and stderr. */
const STANDARD = [0, 1, 2];

/** What SIGHUP asks for. */
export interface Hangup {
  /** The terminal that the process was started at has been closed. */
  onTerminalGone(): void;
  /** An operator has sent it. */
  onReload(): void;
}

/**
 * Tells the two meanings of SIGHUP apart. A process without a terminal, such as one of a supervisor or under nohup, is only ever asked to load its
 * configuration again.
 *
 * @returns what to call for each signal.
 */
export function hangup({ onTerminalGone, onReload }: Hangup, isAtTerminal = hasTerminal): () => void {
  const beganAtTerminal = isAtTerminal();
  return () => {
    if (beganAtTerminal && !isAtTerminal()) onTerminalGone();
    else onReload();
  };
}

function hasTerminal(): boolean {
  return STANDARD.some((file) => isatty(file));
}
