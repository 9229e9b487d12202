import { StringDecoder } from 'node:string_decoder';
import {
  type Citation,
  isUpstreamError,
  type LiveAnswer,
  type Provider,
  type UpstreamClient,
} from '@searchgate/core/provider-kit';
import type { AnswerFixture, StreamFailureFixture, StreamFixture } from './provider-fixture.js';
import { ask, type Ending } from './scene.js';

/** An answer fixture with its stream. */
export type StreamedFixture = AnswerFixture & { readonly stream: StreamFixture };

export function hasStream(fixture: AnswerFixture): fixture is StreamedFixture {
  return fixture.stream !== undefined;
}

/** What an adapter handed over: a part of the text, or the list of citations. */
type Handed = { readonly text: string } | { readonly citations: readonly Citation[] };

/** Takes what an adapter hands over. */
export class LiveLog implements LiveAnswer {
  readonly handed: Handed[] = [];

  citations(citations: readonly Citation[]): void {
    this.handed.push({ citations });
  }

  text(text: string): void {
    this.handed.push({ text });
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
  /** How much was handed over while it ran. */
  readonly handedInTime: number;
  /** How many of the pieces were read. */
  readonly piecesRead: number;
}

/** What an adapter makes of a stream that arrives in these pieces, without a network. */
export async function handLive(
  provider: Provider,
  { model, headers = {}, stream }: StreamedFixture | StreamFailureFixture,
  pieces: Iterable<string | Uint8Array>,
): Promise<LiveRun> {
  const header = (name: string) => headers[name] ?? (name === 'content-type' ? contentTypeOf(stream) : undefined);
  let piecesRead = 0;
  const upstream: UpstreamClient = {
    async send({ onText }) {
      let text = '';
      const take = (piece: string) => {
        if (onText !== undefined) return piece === '' || onText(piece) !== false;
        text += piece;
        return true;
      };
      const decoder = new StringDecoder('utf8');
      for (const piece of pieces) {
        piecesRead += 1;
        if (!take(decoder.write(Buffer.from(piece)))) return { status: 200, header, text };
      }
      take(decoder.end());
      return { status: 200, header, text };
    },
  };
  const log = new LiveLog();
  const ending = await ask(provider, model, { upstream, signal: new AbortController().signal, live: log });
  return { log, ending, handedInTime: log.handed.length, piecesRead };
}

/** What the upstream of a scene sends. */
export function streamReply({ headers = {}, stream }: StreamedFixture | StreamFailureFixture) {
  return { headers: { 'content-type': contentTypeOf(stream), ...headers }, body: stream.body };
}

function contentTypeOf({ contentType = 'text/event-stream' }: Pick<StreamFixture, 'contentType'>): string {
  return contentType;
}

/** How an attempt ended, for the message of a failing test. */
export function wordsOf(ending: Ending): string {
  return isUpstreamError(ending) ? `${ending.reason}: ${ending.detail}` : `an answer: ${ending.text}`;
}
