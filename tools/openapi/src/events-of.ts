export interface SentEvent {
  /** Left out where an event has no name. */
  readonly event?: string;
  readonly data: string;
}

/** The events of a stream, without its comments. */
export function eventsOf(text: string): readonly SentEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block) => {
      const [, event, data = ''] = /^(?:event: (.*)\n)?data: (.*)$/.exec(block) ?? [];
      return event === undefined ? { data } : { event, data };
    });
}
