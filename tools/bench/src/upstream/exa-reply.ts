export const QUERY =
  'When did the Zephyr Bridge open, how many vehicles cross it a day, and what did it cost to build?';

export const CITATION_COUNT = 10;
export const EXA_COST_USD = 0.005;
const REPLY_BYTES = 2_300;

export const ANSWER = [
  'The Zephyr Bridge opened to traffic in May 2021 [1][2], eleven months later than first planned [3].',
  'It carries about 40,000 vehicles on a weekday [4] and half of that on a Sunday [5].',
  'Construction came to 412 million, of which the region paid two thirds [6][7].',
  'A toll is charged in one direction only [8], and cyclists cross free of charge [9][10].',
].join(' ');

/** Exa's reply to `POST /answer`: 10 citations, their markers, the cost; 2.3 kB in all. */
export function exaReply(): Buffer {
  return paddedReply(exaReplyOf);
}

/** A chat completion of 2.3 kB, for the peer. */
export function chatReply(): Buffer {
  return paddedReply(chatReplyOf);
}

function paddedReply(replyOf: (padding: string) => object): Buffer {
  const missing = REPLY_BYTES - JSON.stringify(replyOf('')).length;
  return Buffer.from(JSON.stringify(replyOf(' More on it below.'.repeat(100).slice(0, missing))));
}

export const CITATIONS = Array.from({ length: CITATION_COUNT }, (_, index) => {
  const url = `https://example.org/zephyr-bridge/source-${index + 1}`;
  const title = `Zephyr Bridge, source ${index + 1}`;
  return { id: url, title, url, publishedDate: '2021-05-14T08:00:00.000Z', author: 'A. Writer' };
});

function exaReplyOf(padding: string): object {
  const requestId = '0c1f6b2e9a7d4f5380b1c2d3e4f5a6b7';
  return { requestId, answer: ANSWER + padding, citations: CITATIONS, costDollars: { total: EXA_COST_USD } };
}

function chatReplyOf(padding: string): object {
  const message = { role: 'assistant', content: ANSWER + padding };
  const usage = { prompt_tokens: 30, completion_tokens: 420, total_tokens: 450 };
  const head = { id: 'chatcmpl-0c1f6b2e9a7d4f53', object: 'chat.completion', created: 1_763_800_000, model: 'bench' };
  return { ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
}
