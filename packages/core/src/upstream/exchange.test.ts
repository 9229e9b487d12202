import { createFakeClock } from '@searchgate/testing';
import type { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../time/deadline.js';
import { Exchange } from './exchange.js';

describe('an exchange', () => {
  it('does not keep the piece of memory in which the reply began', () => {
    const pieces: string[] = [];
    const clock = createFakeClock();
    const deadline = new Deadline(clock, 1_000);
    const unexpected = () => expect.unreachable();
    const onText = (piece: string) => pieces.push(piece) > 0;
    const exchange = new Exchange({ clock, deadline, maxBytes: 1_000, onText, onEnd: unexpected, onError: unexpected });
    const controller: Dispatcher.DispatchController = {
      aborted: false,
      paused: false,
      reason: null,
      rawHeaders: [Buffer.from('content-type'), Buffer.from('text/event-stream')],
      abort: unexpected,
      pause: unexpected,
      resume: unexpected,
    };
    exchange.onRequestStart(controller);
    exchange.onResponseStart(controller, 200, { 'content-type': 'text/event-stream' });
    exchange.onResponseData(controller, Buffer.from('data: 1'));
    expect([controller.rawHeaders, pieces]).toEqual([null, ['data: 1']]);
    deadline.clear();
  });
});
