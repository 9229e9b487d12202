import { gatheredText } from './gathered-text.js';

/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  /** `''` where the stream gives it no name. */
  readonly name: string;
  /** Its lines, joined by `\n`. */
  readonly data: string;
}

/** Gives the events that are complete with a piece of the stream. */
export type EventReader = (piece: string) => ServerSentEvent[];

/**
 * Reads events as WHATWG HTML §9.2.6 says (read 2026-11-22): lines end by CRLF, LF or CR; comments and other fields than `event` and `data` are ignored, and so
 * is an event without `data`. The byte order mark is the decoder's to remove. Time is linear in the text, however it is cut.
 *
 * @param maxCharacters most of one event, comments aside.
 * @throws RangeError from the reader, for an event that is longer.
 */
export function createEventReader(maxCharacters: number): EventReader {
  /** The piece before ended in a CR: an LF at the beginning of this one belongs to it. */
  let afterReturn = false;
  /** Of the last line, which may go on. Joined only when it is complete. */
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
