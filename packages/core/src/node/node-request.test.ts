import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { readNodeBody } from './node-request.js';

/** @param arrived what has arrived before the body is read. */
function setUp(headers: IncomingMessage['headers'] = {}, arrived = '') {
  const stream = Object.assign(new PassThrough(), { headers });
  if (arrived !== '') stream.write(arrived);
  const clock = createFakeClock();
  const limits = { maxBodyBytes: 10, bodyTimeoutMs: 1_000, clock };
  const read = (async () => readNodeBody(stream as unknown as IncomingMessage, limits))();
  read.catch(() => undefined);
  const left = () => ({
    timers: clock.pendingTimers,
    listeners: (['data', 'error', 'close'] as const).map((event) => stream.listeners(event).filter(isOurs).length),
  });
  return { stream, clock, read, left };
}

/** Streams listen to themselves; those listeners have other names. */
const isOurs = ({ name }: { name: string }) => ['onData', 'onEnd', 'onGone'].includes(name);
const NOTHING_LEFT = { timers: 0, listeners: [0, 0, 0] };
const refused = (reason: string) => expect.objectContaining({ reason });

describe('readNodeBody', () => {
  it('joins the chunks', async () => {
    const { stream, read, left } = setUp();
    stream.write('01234');
    stream.end('56789');
    expect(Buffer.from(await read).toString()).toBe('0123456789');
    expect(left()).toEqual(NOTHING_LEFT);
  });

  it('returns a body of one chunk unchanged, and an empty body as empty', async () => {
    const one = setUp();
    const piece = Buffer.from('0123');
    one.stream.end(piece);
    expect(await one.read).toBe(piece);
    const none = setUp();
    none.stream.end();
    expect((await none.read).byteLength).toBe(0);
  });

  it('treats a body as complete once all its bytes have arrived, before the end event', async () => {
    const { stream, clock, read } = setUp({ 'content-length': '4' }, '0123');
    expect(clock.pendingTimers).toBe(0);
    expect(Buffer.from(await read).toString()).toBe('0123');
    stream.end();
    await once(stream, 'end');
  });

  it('reads all arrived chunks of a stream that returns one chunk per read, as on Node 26', async () => {
    const stream = Object.assign(new PassThrough(), { headers: {}, complete: true });
    for (const chunk of ['012', '34', '567']) stream.write(chunk);
    const sizes = [3, 2, 3];
    stream.read = () => PassThrough.prototype.read.call(stream, sizes.shift()) as Buffer | null;
    const limits = { maxBodyBytes: 10, bodyTimeoutMs: 1_000, clock: createFakeClock() };
    const body = await readNodeBody(stream as unknown as IncomingMessage, limits);
    expect(Buffer.from(body).toString()).toBe('01234567');
  });

  it('waits for the rest of a body that has arrived in part', async () => {
    const { stream, read } = setUp({ 'content-length': '5' }, '0123');
    stream.end('4');
    expect(Buffer.from(await read).toString()).toBe('01234');
  });

  it('refuses a too large body that has arrived whole', async () => {
    const { read } = setUp({ 'content-length': '11' }, '0123456789x');
    await expect(read).rejects.toEqual(refused('request_too_large'));
  });

  it('reads text from a stream with an encoding', async () => {
    const { stream, read } = setUp();
    stream.setEncoding('utf8');
    stream.end(Buffer.from('Zéphyr'));
    expect(Buffer.from(await read).toString()).toBe('Zéphyr');
  });

  it('stops at the first byte beyond the limit, and leaves the rest unread', async () => {
    const { stream, read, left } = setUp();
    stream.write('0123456789');
    stream.write('x');
    stream.write('y');
    await expect(read).rejects.toEqual(refused('request_too_large'));
    expect(stream.isPaused()).toBe(true);
    expect(left()).toEqual(NOTHING_LEFT);
  });

  it('limits the time of a slow body as of a stalled body', async () => {
    const { stream, clock, read, left } = setUp();
    for (const piece of ['{', '"', 'a']) {
      stream.write(piece);
      await clock.advance(300);
    }
    await clock.advance(100);
    await expect(read).rejects.toEqual(refused('request_timeout'));
    expect(left()).toEqual(NOTHING_LEFT);
  });

  it.each([
    ['breaks off', (stream: PassThrough) => stream.destroy()],
    ['breaks off with an error', (stream: PassThrough) => stream.destroy(new Error('aborted'))],
  ])('takes a body that %s for a caller that has gone', async (_name, breakOff) => {
    const { stream, read, left } = setUp();
    stream.write('{');
    breakOff(stream);
    await expect(read).rejects.toEqual(refused('client_closed_request'));
    expect(left()).toEqual(NOTHING_LEFT);
  });

  it('does not wait for a destroyed stream', async () => {
    const stream = new PassThrough().destroy();
    const clock = createFakeClock();
    const read = readNodeBody(stream as unknown as IncomingMessage, { maxBodyBytes: 10, bodyTimeoutMs: 1_000, clock });
    await expect(read).rejects.toEqual(refused('client_closed_request'));
    expect(clock.pendingTimers).toBe(0);
  });
});
