import { GatheredText } from '../base/gathered-pieces.js';
import { CARRIAGE_RETURN, LINE_FEED, skip } from '../text/characters.js';

/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  /** `message` unless the stream gives another name. */
  readonly event: string;
  /** Lines joined by `\n`. */
  readonly data: string;
}

/** Reads a stream's events while its pieces arrive. */
export interface EventReader {
  /** Hands over the events that this piece completes. */
  push(piece: string): void;
}

/**
 * Reads events by WHATWG HTML §9.2.6 (read 2026-11-21): lines end with CRLF, LF or CR; comments, `id` and `retry` are ignored. An event without `data` is
 * ignored, and so is a last event without an empty line after it, because a cut stream may stop anywhere. A text that is no stream has no events.
 *
 * Time is linear in the text, whatever the pieces.
 */
export function createEventReader(onEvent: (event: ServerSentEvent) => void): EventReader {
  let begun = false;
  /** Whether the last piece ended with a CR: an LF at the beginning of the next piece belongs to it. */
  let afterReturn = false;
  /** The incomplete line after the last line end. */
  const rest = new GatheredText();
  let hasRest = false;
  let event = '';
  let lines: string[] = [];

  function readLine(line: string): void {
    if (line === '') {
      const data = lines.length === 1 ? (lines[0] ?? '') : lines.join('\n');
      const complete = lines.length > 0 ? { event: event === '' ? 'message' : event, data } : undefined;
      event = '';
      if (lines.length > 0) lines = [];
      if (complete !== undefined) onEvent(complete);
      return;
    }
    // The usual line.
    if (line.startsWith('data: ')) {
      lines.push(line.slice(6));
      return;
    }
    const { name, value } = splitField(line);
    if (name === 'data') lines.push(value);
    else if (name === 'event') event = value;
  }

  return {
    push(piece) {
      if (piece === '') return;
      let start = (!begun && piece.startsWith('\ufeff')) || (afterReturn && piece.startsWith('\n')) ? 1 : 0;
      begun = true;
      afterReturn = piece.endsWith('\r');
      // A search for one character is many times faster, and nearly all streams have only line feeds.
      const hasReturn = piece.includes('\r');
      for (;;) {
        const end = hasReturn ? anyLineEnd(piece, start) : piece.indexOf('\n', start);
        if (end === -1) break;
        const line = piece.slice(start, end);
        start = end + (piece.startsWith('\r\n', end) ? 2 : 1);
        readLine(hasRest ? rest.take() + line : line);
        hasRest = false;
      }
      if (start === piece.length) return;
      rest.add(piece.slice(start));
      hasRest = true;
    },
  };
}

function anyLineEnd(text: string, from: number): number {
  const end = skip(text, from, (code) => code !== LINE_FEED && code !== CARRIAGE_RETURN);
  return end === text.length ? -1 : end;
}

/** A comment is a field without a name. */
function splitField(line: string): { name: string; value: string } {
  const colon = line.indexOf(':');
  if (colon === -1) return { name: line, value: '' };
  return { name: line.slice(0, colon), value: line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1) };
}
