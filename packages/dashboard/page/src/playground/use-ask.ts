import type { AnswerEvent } from '@searchgate/client';
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type AnswerText, showAnswerText } from '../markdown/answer-text.js';
import { type AskEvent, type AskTarget, ask } from './ask.js';
import type { Call, Reply } from './kinds.js';

type DoneEvent = Extract<AnswerEvent, { type: 'done' }>;
export type Source = NonNullable<DoneEvent['answer']['citations']>[number];

/** The state of a call, as far as it is known, without the text of an answer. */
export interface Asked {
  /** The asked model. */
  readonly of: string;
  readonly category: Call['category'];
  readonly phase: 'waiting' | 'streaming' | 'done' | 'failed';
  readonly sources: readonly Source[];
  /** The reply to a call other than a question. */
  readonly reply?: Reply;
  readonly id?: string;
  readonly requestId?: string | null;
  readonly serverTiming?: string | null;
  /** The model that answers. */
  readonly model?: string;
  /** USD. */
  readonly cost?: number;
  /** From the call to the first text of an answer, and to its end, as seen here: with the way over the network. */
  readonly firstMs?: number;
  readonly durationMs?: number;
  /** Number of characters not shown. */
  readonly omitted?: number;
  /** Whether the limit of the question has ended the answer. */
  readonly isCut?: boolean;
  /** What a check of the citations found. */
  readonly grounding?: DoneEvent['answer']['grounding'];
  readonly error?: unknown;
}

export function isBusy(asked: Asked | undefined): boolean {
  return asked?.phase === 'waiting' || asked?.phase === 'streaming';
}

/** Asks, and writes the answer into the element of `text`: new text is added once per frame, however many parts it has. */
export function useAsk() {
  const text = useRef<HTMLDivElement>(null);
  const [asked, setAsked] = useState<Asked>();
  const current = useRef<AbortController>(undefined);
  useEffect(() => () => current.current?.abort(), []);

  const start = async (target: AskTarget, of: string, call: Call) => {
    current.current?.abort();
    const controller = new AbortController();
    current.current = controller;
    const startedMs = performance.now();
    const elapsedMs = () => performance.now() - startedMs;
    const change = (part: Partial<Asked>) => {
      const isEnd = part.phase === 'done' || part.phase === 'failed';
      const changed = { ...part, ...(isEnd && { durationMs: elapsedMs() }) };
      if (!controller.signal.aborted) setAsked((before) => before && { ...before, ...changed });
    };
    const writer = createWriter(text, elapsedMs);
    setAsked({ of, category: call.category, phase: 'waiting', sources: [] });
    try {
      const onResponse = (headers: Headers) =>
        change({ requestId: headers.get('x-request-id'), serverTiming: headers.get('server-timing') });
      for await (const event of ask(target, { ...call, signal: controller.signal }, onResponse)) {
        const part = writer.take(event);
        if (part !== undefined) change(part);
      }
    } catch (error) {
      change({ phase: 'failed', error });
    } finally {
      writer.end();
    }
  };
  const stop = () => {
    current.current?.abort();
    setAsked((before) =>
      before && isBusy(before) ? { ...before, phase: 'failed', error: new Error(STOPPED) } : before,
    );
  };
  return { asked, text, start, stop };
}

const STOPPED = 'Stopped here. The gateway finishes a call that has begun, and charges it.';

/** Collects events, and shows their text in the next frame. */
function createWriter(element: RefObject<HTMLElement | null>, elapsedMs: () => number) {
  let sources: readonly Source[] = [];
  let shown = begin();
  let waiting: string[] = [];
  let frame = 0;
  let firstMs: number | undefined;

  function begin(): AnswerText | undefined {
    element.current?.replaceChildren();
    return element.current ? showAnswerText(element.current, (number) => sources[number - 1]?.url) : undefined;
  }
  function flush(): void {
    cancelAnimationFrame(frame);
    frame = 0;
    shown?.append(waiting.join(''));
    waiting = [];
  }
  function end(): void {
    flush();
    shown?.end();
  }
  /** @returns the changed state, without the text; `undefined` if nothing else changed. */
  function take(event: AskEvent): Partial<Asked> | undefined {
    switch (event.type) {
      case 'start':
        return { phase: 'streaming', id: event.id, model: event.model };
      case 'citations':
        sources = event.citations;
        return { sources };
      case 'delta':
        waiting.push(event.text);
        if (frame === 0) frame = requestAnimationFrame(flush);
        if (firstMs !== undefined) return undefined;
        firstMs = elapsedMs();
        return { firstMs };
      case 'done': {
        const { id, answer, citations = [], truncated: isCut = false, usage, model, grounding } = event.answer;
        sources = citations;
        // The whole text may have citation markers that the parts lacked.
        waiting = [answer];
        shown = begin();
        end();
        const omitted = shown?.omitted ?? 0;
        firstMs ??= elapsedMs();
        return { phase: 'done', sources, id, cost: usage.cost, model, firstMs, omitted, isCut, grounding };
      }
      case 'reply': {
        const { id, model, usage, sources: found = [] } = event.reply;
        return { phase: 'done', reply: event.reply, sources: found, id, model, cost: usage.cost };
      }
      case 'error':
        return { phase: 'failed', error: event.error };
    }
  }
  return { take, end };
}
