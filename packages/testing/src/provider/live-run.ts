import { StringDecoder } from 'node:string_decoder';
import {
  type Citation,
  isUpstreamError,
  type LiveAnswer,
  type Provider,
  type TextMarker,
  type UpstreamClient,
  UpstreamError,
} from '@searchgate/core/provider-kit';
import type { AnswerFixture, StreamFailureFixture, StreamFixture } from './provider-fixture.js';
import { ask, type Ending } from './scene.js';

/** An answer fixture with its stream. */
export type StreamedFixture = AnswerFixture & { readonly stream: StreamFixture };

export function hasStream(fixture: AnswerFixture): fixture is StreamedFixture {
  return fixture.stream !== undefined;
}

/** A streamed item: a part of the text, or the list of citations. */
type Handed =
  | { readonly text: string; readonly markers?: readonly TextMarker[] | undefined }
  | { readonly citations: readonly Citation[] };

/** Records the items that an adapter hands over. */
export class LiveLog implements LiveAnswer {
  readonly handed: Handed[] = [];

  citations(citations: readonly Citation[]): void {
    this.handed.push({ citations });
  }

  text(text: string, markers?: readonly TextMarker[]): void {
    this.handed.push({ text, markers });
  }

  get parts(): readonly string[] {
    return this.handed.flatMap((entry) => ('text' in entry ? [entry.text] : []));
  }

  /** All text so far. */
  get joined(): string {
    return this.parts.join('');
  }
}

/** A streamed attempt that has ended. */
export interface LiveRun {
  readonly log: LiveLog;
  readonly ending: Ending;
  /** Number of items handed over during the attempt. */
  readonly handedInTime: number;
  /** Number of pieces read. */
  readonly piecesRead: number;
}

/** Runs an adapter on a stream in these pieces, without a network. */
export async function handLive(
  provider: Provider,
  { model, headers = {}, stream, end = 'closed' }: (StreamedFixture | StreamFailureFixture) & Partial<Streamed>,
  pieces: Streamed['pieces'],
): Promise<LiveRun> {
  const header = (name: string) => headers[name] ?? (name === 'content-type' ? contentTypeOf(stream) : undefined);
  let piecesRead = 0;
  const counted = function* (): Generator<string | Uint8Array> {
    for (const piece of pieces) {
      piecesRead += 1;
      yield piece;
    }
  };
  const upstream = streaming({ header, pieces: counted(), end });
  const log = new LiveLog();
  const ending = await ask(provider, { model }, { upstream, signal: new AbortController().signal, live: log });
  return { log, ending, handedInTime: log.handed.length, piecesRead };
}

interface Streamed {
  readonly header: (name: string) => string | undefined;
  readonly pieces: Iterable<string | Uint8Array>;
  /** Whether the body ends in order after the pieces, or the connection breaks. */
  readonly end: 'closed' | 'cut';
}

/** A client with one reply in pieces. */
export function streaming({ header, pieces, end }: Streamed): UpstreamClient {
  return {
    async send({ onText, isWhole }) {
      let text = '';
      let wanted: unknown = true;
      const take = (piece: string) => {
        if (onText === undefined) text += piece;
        else if (piece !== '') wanted = onText(piece);
        return wanted !== false;
      };
      const decoder = new StringDecoder('utf8');
      for (const piece of pieces) if (!take(decoder.write(Buffer.from(piece)))) return { status: 200, header, text };
      const isOver = wanted === 'ending' || isWhole?.() === true;
      if (end === 'cut' && !isOver)
        throw new UpstreamError('upstream_invalid_response', { phase: 'body', status: 200, detail: 'cut' });
      take(decoder.end());
      return { status: 200, header, text };
    },
  };
}

/** The streamed reply of a scene's upstream. */
export function streamReply({ headers = {}, stream }: StreamedFixture | StreamFailureFixture) {
  return { headers: { 'content-type': contentTypeOf(stream), ...headers }, body: stream.body };
}

function contentTypeOf({ contentType = 'text/event-stream' }: Pick<StreamFixture, 'contentType'>): string {
  return contentType;
}

/** Each event with its final empty line. */
export function eventsOf(body: string): string[] {
  return body.split(/(?<=\r?\n\r?\n)/);
}

/** Describes the end of an attempt, for the message of a failing test. */
export function wordsOf(ending: Ending): string {
  if (isUpstreamError(ending)) return `${ending.reason}: ${ending.detail}`;
  return 'text' in ending ? `an answer: ${ending.text}` : 'no answer';
}
