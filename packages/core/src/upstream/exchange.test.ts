import { gzipSync } from 'node:zlib';
import { createFakeClock } from '@searchgate/testing';
import type { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../base/time/deadline.js';
import { decompress, Exchange, type ExchangeOptions } from './exchange.js';
import type { UpstreamResponse } from './upstream-client.js';

const unexpected = () => expect.unreachable();

/** An exchange whose request has been sent. */
function start({ onText }: Pick<ExchangeOptions, 'onText'> = {}) {
  const clock = createFakeClock();
  const deadline = new Deadline(clock, 60_000);
  const aborts: string[] = [];
  let [onEnd, onError]: [(response: UpstreamResponse) => void, (error: unknown) => void] = [unexpected, unexpected];
  const ended = new Promise<UpstreamResponse>((resolve, reject) => ([onEnd, onError] = [resolve, reject]));
  const exchange = new Exchange({ clock, deadline, maxBytes: 1_000, onText, onEnd, onError });
  const controller: Dispatcher.DispatchController = {
    aborted: false,
    paused: false,
    reason: null,
    rawHeaders: [Buffer.from('content-type'), Buffer.from('text/event-stream')],
    abort: ({ message }) => void aborts.push(message),
    pause: unexpected,
    resume: unexpected,
  };
  exchange.onRequestStart(controller);
  const begin = (status: number, headers = {}) => exchange.onResponseStart(controller, status, headers);
  const receive = (...chunks: (string | Buffer)[]) => {
    for (const chunk of chunks) exchange.onResponseData(controller, Buffer.from(chunk));
  };
  const end = () => {
    exchange.onResponseEnd();
    return ended;
  };
  return { clock, deadline, aborts, controller, begin, receive, end, ended };
}

/** One that hands its pieces over. What is said of each follows from its text. */
function startLive(wanted: (piece: string) => boolean | 'ending' = () => true) {
  const pieces: string[] = [];
  const onText = (piece: string) => {
    pieces.push(piece);
    return wanted(piece);
  };
  return { ...start({ onText }), pieces };
}

describe('an exchange', () => {
  it('does not keep the piece of memory in which the reply began', () => {
    const { controller, begin } = start();
    begin(200);
    expect(controller.rawHeaders).toBeNull();
  });

  it('gives headers without the blanks around their values', async () => {
    const { begin, end } = start();
    begin(200, { 'retry-after': '7 \t', 'x-id': [' 8 ', '9'] });
    const { header } = await end();
    expect(['retry-after', 'x-id', 'x-other'].map(header)).toEqual(['7', '8', undefined]);
  });

  it('gives a reply of several chunks, and one without any, whole', async () => {
    const { begin, receive, end } = start();
    begin(200, { 'x-id': ['7', '8'] });
    receive('one ', 'two');
    const reply = await end();
    expect(reply).toMatchObject({ status: 200, text: 'one two' });
    expect([reply.header('x-id'), reply.header('toString')]).toEqual(['7', undefined]);
    const empty = start();
    empty.begin(200, { 'content-encoding': 'gzip' });
    expect(await empty.end()).toMatchObject({ text: '' });
  });

  it.each([undefined, () => true])('is aborted after too many pieces, however small they are', (onText) => {
    const { begin, receive, aborts } = start({ onText });
    begin(200);
    // Of at most 1,000 bytes.
    for (let piece = 0; piece < 65_536 + 63; piece += 1) receive('');
    expect(aborts).toEqual([]);
    receive('x');
    expect(aborts).toEqual(['a body of more than 65599 pieces']);
  });

  it('ignores a deadline that passes after its end', async () => {
    const { begin, end, deadline, aborts } = start();
    begin(200);
    await end();
    deadline.pass();
    expect(aborts).toEqual([]);
  });

  it('hands over whole characters as they arrive, and a broken character at the end', async () => {
    const { begin, receive, end, pieces } = startLive();
    const bridge = Buffer.from('橋');
    begin(200);
    receive('a', bridge.subarray(0, 1), bridge.subarray(1), bridge.subarray(0, 2));
    expect(pieces).toEqual(['a', '橋']);
    expect(await end()).toMatchObject({ text: '' });
    expect(pieces).toEqual(['a', '橋', '\ufffd']);
  });

  it.each([
    [200, 'plain', {}, 'two words', { pieces: ['two ', 'words'], text: '' }],
    [300, 'plain', {}, 'two words', { pieces: [], text: 'two words' }],
    [200, 'compressed', { 'content-encoding': 'gzip' }, gzipSync('words'), { pieces: ['words'], text: '' }],
    [300, 'compressed', { 'content-encoding': 'gzip' }, gzipSync('words'), { pieces: [], text: 'words' }],
  ])('hands over only the body of a success: %d, %s', async (status, _how, headers, body, expected) => {
    const { begin, receive, end, pieces } = startLive();
    begin(status, headers);
    receive(body.slice(0, 4), body.slice(4));
    const { text } = await end();
    expect({ pieces, text }).toEqual(expected);
  });

  it('hands over nothing after the receiver has returned false', async () => {
    const { begin, receive, ended, pieces, aborts } = startLive(() => false);
    begin(200);
    receive('a', 'b');
    expect(await ended).toMatchObject({ status: 200, text: '' });
    expect(pieces).toEqual(['a']);
    expect(aborts).toEqual(['the reply is not wanted any more']);
  });

  it('ends once with the exception of its receiver, and aborts', async () => {
    const { begin, receive, ended, pieces, aborts } = startLive(() => {
      throw new Error('broken');
    });
    begin(200);
    receive('a', 'b');
    await expect(ended).rejects.toThrow('broken');
    expect([pieces, aborts]).toEqual([['a'], ['the reply is not wanted any more']]);
  });

  it('waits a second for its end, counted from the last event', async () => {
    const { begin, receive, clock, aborts, ended, deadline } = startLive((piece) =>
      piece === 'more' ? true : 'ending',
    );
    begin(200);
    receive('last', 'last');
    await clock.advance(900);
    receive('more', 'last');
    await clock.advance(999);
    expect(aborts).toEqual([]);
    await clock.advance(1);
    expect(await ended).toMatchObject({ text: '' });
    deadline.clear();
    expect([aborts.length, clock.pendingTimers]).toEqual([1, 0]);
  });

  it('leaves no timer, and the connection alone, when its end comes', async () => {
    const { begin, receive, end, clock, aborts, deadline } = startLive(() => 'ending');
    begin(200);
    receive('last', 'last');
    await end();
    deadline.clear();
    expect([aborts, clock.pendingTimers]).toEqual([[], 0]);
  });
});

describe('a compressed body', () => {
  it.each(['gzip', 'GZIP', 'x-gzip'])('is decompressed, whatever the case of its coding: %s', async (coding) => {
    expect(String(await decompress(gzipSync('words'), coding, 5))).toBe('words');
  });

  it('of an unknown coding rejects', async () => {
    const undone = decompress(Buffer.from('words'), 'zstd', 5);
    await expect(undone).rejects.toThrow('unknown content-encoding "zstd"');
    await expect(decompress(Buffer.from(''), 'a-repeated-key', 9)).rejects.toThrow(/"a-repea"$/);
  });

  it('of too many bytes rejects', async () => {
    await expect(decompress(gzipSync('words'), 'gzip', 4)).rejects.toThrow(RangeError);
  });
});
