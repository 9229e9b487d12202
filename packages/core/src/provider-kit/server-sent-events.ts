import { CARRIAGE_RETURN, LINE_FEED, skip } from '../citations/characters.js';

/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  /** `message` unless the stream names another. */
  readonly event: string;
  /** Lines joined by `\n`. */
  readonly data: string;
}

/**
 * Reads the events of a complete stream (WHATWG HTML §9.2.6, read 2026-11-21): lines end by CRLF, LF or CR; comments, `id` and
 * `retry` are ignored; an event without `data` is none, and neither is a last one that no empty line ends, since a cut stream stops
 * anywhere.
 *
 * A text that is no stream has no events.
 *
 * @param most reading ends when there are so many events.
 */
export function parseServerSentEvents(text: string, most = Number.POSITIVE_INFINITY): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const endOf = text.includes('\r') ? anyLineEnd : lineFeed;
  let event = '';
  let lines: string[] = [];
  let start = text.startsWith('\ufeff') ? 1 : 0;
  // The text after the last line end is no complete line yet.
  for (let end = endOf(text, start); end !== -1 && events.length < most; end = endOf(text, start)) {
    const line = text.slice(start, end);
    start = end + (text.startsWith('\r\n', end) ? 2 : 1);
    if (line === '') {
      if (lines.length > 0) events.push({ event: event === '' ? 'message' : event, data: lines.join('\n') });
      event = '';
      lines = [];
      continue;
    }
    const { name, value } = splitField(line);
    if (name === 'data') lines.push(value);
    else if (name === 'event') event = value;
  }
  return events;
}

function lineFeed(text: string, from: number): number {
  return text.indexOf('\n', from);
}

/** Searching for one character is many times faster, and nearly all streams have only line feeds. */
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
