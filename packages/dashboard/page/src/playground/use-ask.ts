import type { AnswerEvent } from '@searchgate/client';
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type AnswerText, showAnswerText } from '../markdown/answer-text.js';
import { type AskEvent, type AskTarget, ask } from './ask.js';
import type { Call, Reply } from './kinds.js';

type DoneEvent = Extract<AnswerEvent, { type: 'done' }>;
export type Source = NonNullable<DoneEvent['answer']['citations']>[number];

/** The state of a call, without the text of an answer. */
export interface Asked {
  readonly category: Call['category'];
  readonly phase: 'waiting' | 'streaming' | 'done' | 'failed';
  readonly sources: readonly Source[];
  /** The reply to a call other than a question. */
  readonly reply: Reply | null;
  readonly id: string | null;
  readonly requestId: string | null;
  readonly serverTiming: string | null;
  /** The model that answers. */
  readonly model: string | null;
  /** USD. */
  readonly cost: number | null;
  /** Number of characters not shown. */
  readonly omitted: number;
  /** Whether the limit of the question has ended the answer. */
  readonly isCut: boolean;
  /** What a check of the citations found. */
  readonly grounding: DoneEvent['answer']['grounding'];
  readonly error: unknown;
}

const WAITING: Asked = {
  category: 'answer',
  phase: 'waiting',
  sources: [],
  reply: null,
  id: null,
  requestId: null,
  serverTiming: null,
  model: null,
  cost: null,
  omitted: 0,
  isCut: false,
  grounding: undefined,
  error: undefined,
};

/** Asks, and writes the answer into an element: new text is added once per frame, however many parts it has. */
export function useAsk(element: RefObject<HTMLElement | null>) {
  const [asked, setAsked] = useState<Asked>();
  const current = useRef<AbortController>(undefined);
  useEffect(() => () => current.current?.abort(), []);

  const start = async (target: AskTarget, call: Call) => {
    current.current?.abort();
    const controller = new AbortController();
    current.current = controller;
    const change = (part: Partial<Asked>) =>
      !controller.signal.aborted && setAsked((before) => ({ ...(before ?? WAITING), ...part }));
    const writer = createWriter(element);
    setAsked({ ...WAITING, category: call.category });
    try {
      const onResponse = (headers: Headers) =>
        change({ requestId: headers.get('x-request-id'), serverTiming: headers.get('server-timing') });
      for await (const event of ask(target, { ...call, signal: controller.signal }, onResponse)) {
        change(writer.take(event));
      }
    } catch (error) {
      change({ phase: 'failed', error });
    } finally {
      writer.end();
    }
  };
  const stop = () => {
    current.current?.abort();
    setAsked((before) => before && { ...before, phase: 'failed', error: new Error(STOPPED) });
  };
  return { asked, start, stop };
}

const STOPPED = 'Stopped here. The gateway finishes a call that has begun, and charges it.';

/** Collects events, and shows their text in the next frame. */
function createWriter(element: RefObject<HTMLElement | null>) {
  let sources: readonly Source[] = [];
  let shown = begin();
  let waiting: string[] = [];
  let frame = 0;

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
  /** @returns the changed state, without the text. */
  function take(event: AskEvent): Partial<Asked> {
    switch (event.type) {
      case 'start':
        return { phase: 'streaming', id: event.id, model: event.model };
      case 'citations':
        sources = event.citations;
        return { sources };
      case 'delta':
        waiting.push(event.text);
        if (frame === 0) frame = requestAnimationFrame(flush);
        return {};
      case 'done': {
        const { id, answer, citations = [], truncated: isCut = false, usage, model, grounding } = event.answer;
        sources = citations;
        // The whole text may have citation markers that the parts lacked.
        waiting = [answer];
        shown = begin();
        end();
        const omitted = shown?.omitted ?? 0;
        return { phase: 'done', sources, id, cost: usage.cost, model, omitted, isCut, grounding };
      }
      case 'reply': {
        const { id, model, usage } = event.reply;
        return { phase: 'done', reply: event.reply, id, model, cost: usage.cost };
      }
      case 'error':
        return { phase: 'failed', error: event.error };
    }
  }
  return { take, end };
}
