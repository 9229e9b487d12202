import { oneLine } from '@searchgate/core/ledger';
import { type DestinationStream, pino } from 'pino';

const STDERR = 2;
/** Of lines that could not be written yet. Further ones are dropped. */
const MAX_KEPT_BYTES = 1_048_576;

/**
 * Where the log goes: stderr, line by line in order, since the last lines before an exit are the ones that matter. Where it cannot be written, as on a full
 * disk, the process goes on: the lines are tried again with the next one.
 */
export function logDestination(): DestinationStream {
  const destination = pino.destination({ dest: STDERR, sync: true, maxLength: MAX_KEPT_BYTES });
  // Without a listener, the error would end the process.
  destination.on('error', () => undefined);
  return { write: (line) => destination.write(oneLine(line)) };
}
