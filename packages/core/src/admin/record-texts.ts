import type { EventStream } from '../base/events/events.js';
import type { Logger } from '../base/events/logger.js';
import type { Clock } from '../base/time/clock.js';
import type { TimeLimit } from '../base/time/deadline.js';
import type { RequestRow } from '../ledger/request-log.js';
import { bytesOfTexts, type CapturedTexts, type RequestText, type RequestTexts } from '../ledger/request-texts.js';
import { createRequestWriter } from './request-writer.js';

/** Hands over the texts of calls that have ended. */
export interface TextSource {
  take(requestId: string): CapturedTexts | undefined;
  /** How many were lost since the last look, because memory was short. */
  takeLost(): number;
}

export interface RecordTextsDeps {
  readonly texts: RequestTexts;
  readonly source: TextSource;
  readonly events: Pick<EventStream, 'emit'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of each wait for the texts. */
  readonly timeLimit: TimeLimit;
  /** Called once a minute, so that texts go in time although no call comes. Never rejects. */
  prune(): Promise<void>;
}

const PRUNE_EVERY_MS = 60_000;

/** Writes questions and answers as rows are written, but apart from them: whatever becomes of texts, no row is lost. */
export function recordTexts({ texts, source, events, clock, logger, timeLimit, prune }: RecordTextsDeps) {
  let cancel = (): void => undefined;

  function dropped(count: number): void {
    logger.warn({ count }, 'questions and answers were lost');
    events.emit({ type: 'request_log_dropped', atMs: clock.now(), count, texts: true });
  }

  const writer = createRequestWriter<RequestText>({
    append: (rows) => texts.append(rows),
    bytesOf: bytesOfTexts,
    clock,
    timeLimit,
    wrote(error) {
      // The code alone: errors of drivers may have what was to be written.
      const { code, name } = (error ?? {}) as Partial<Error> & { readonly code?: unknown };
      if (error !== null) logger.warn({ code: code ?? name }, 'questions and answers could not be kept');
    },
    dropped,
    idle: () => Promise.resolve(),
  });

  function arm(): void {
    cancel = clock.schedule(PRUNE_EVERY_MS, () => void prune().then(arm), 'background');
  }
  arm();

  return {
    /** @param row `undefined` for a call that is not logged. */
    ended(requestId: string, row: RequestRow | undefined): void {
      const captured = source.take(requestId);
      const lost = source.takeLost();
      if (lost > 0) dropped(lost);
      if (captured === undefined || row === undefined) return;
      const { atMs, organizationId, keyId } = row;
      writer.add({ requestId, atMs, organizationId, keyId, ...captured });
    },
    async end(): Promise<void> {
      cancel();
      cancel = () => undefined;
      await writer.end();
    },
  };
}
