import { isatty } from 'node:tty';

/** stdin, stdout and stderr. */
const STANDARD = [0, 1, 2];

/** The two meanings of SIGHUP. */
export interface Hangup {
  /** The terminal of the process was closed. */
  onTerminalGone(): void;
  /** An operator asks for a reload. */
  onReload(): void;
}

/**
 * Distinguishes the two meanings of SIGHUP. For a process that started without a terminal, such as under a supervisor or nohup, SIGHUP always means
 * reload.
 *
 * @returns the handler of the signal.
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
