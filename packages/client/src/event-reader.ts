import { gatheredText } from './gathered-text.js';

/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  /** `''` for an event without a name. */
  readonly name: string;
  /** The data lines, joined by `\n`. */
  readonly data: string;
}

/** Returns the events that a piece of the stream completes. */
export type EventReader = (piece: string) => ServerSentEvent[];

/**
 * Reads events by WHATWG HTML §9.2.6 (read 2026-11-22): lines end with CRLF, LF or CR; comments, fields other than `event` and `data`, and events without
 * `data` are ignored. The decoder removes the byte order mark. Time is linear in the text, wherever it is cut.
 *
 * @param maxCharacters the longest event, without comments.
 * @throws RangeError from the reader, for a longer event.
 */
export function createEventReader(maxCharacters: number): EventReader {
  /** The last piece ended with CR: an LF at the start of the next piece belongs to it. */
  let afterReturn = false;
  /** The start of a line that the next piece continues. Joined only when complete. */
  const rest = gatheredText();
  let restCharacters = 0;
  let name = '';
  let data: string[] = [];
  let characters = 0;

  function readLine(line: string): ServerSentEvent | undefined {
    if (line === '') {
      const event = data.length === 0 ? undefined : { name, data: data.join('\n') };
      [name, data, characters] = ['', [], 0];
      return event;
    }
    const [, field, value = ''] = /^([^:]*):? ?([^]*)$/.exec(line) ?? [];
    if (field === 'event') name = value;
    if (field !== 'data') return undefined;
    data.push(value);
    characters += line.length;
    return undefined;
  }

  return (piece) => {
    const lines = (afterReturn && piece.startsWith('\n') ? piece.slice(1) : piece).split(/\r\n|[\r\n]/);
    if (piece !== '') afterReturn = piece.endsWith('\r');
    if (lines.length > 1) {
      lines[0] = rest.take() + (lines[0] ?? '');
      restCharacters = 0;
    }
    const last = lines.pop() ?? '';
    rest.add(last);
    restCharacters += last.length;
    const events: ServerSentEvent[] = [];
    for (const line of lines) {
      const event = readLine(line);
      if (event !== undefined) events.push(event);
    }
    if (restCharacters + characters > maxCharacters) throw new RangeError('an event is too long');
    return events;
  };
}
