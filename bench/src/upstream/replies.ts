/** The question every request of the benchmark asks. */
export const QUERY =
  'When did the Zephyr Bridge open, how many vehicles cross it a day, and what did it cost to build?';

export const CITATION_COUNT = 10;
export const EXA_COST_USD = 0.005;
const REPLY_BYTES = 2_300;

const SENTENCES = [
  'The Zephyr Bridge opened to traffic in May 2021 [1][2], eleven months later than first planned [3].',
  'It carries about 40,000 vehicles on a weekday [4] and half of that on a Sunday [5].',
  'Construction came to 412 million, of which the region paid two thirds [6][7].',
  'A toll is charged in one direction only [8], and cyclists cross free of charge [9][10].',
];
const ANSWER = SENTENCES.join(' ');

/** What Exa answers to `POST /answer`: 10 citations, markers that index into them, the cost; 2.3 kB in all. */
export function exaReply(): Buffer {
  const citations = Array.from({ length: CITATION_COUNT }, (_, index) => citation(index + 1));
  return padded((padding) => ({
    requestId: '0c1f6b2e9a7d4f5380b1c2d3e4f5a6b7',
    answer: ANSWER + padding,
    citations,
    costDollars: { total: EXA_COST_USD },
  }));
}

/** The same amount of JSON as a chat completion, for peers that speak that. */
export function chatCompletionReply(): Buffer {
  return padded((padding) => ({
    id: 'chatcmpl-0c1f6b2e9a7d4f5380b1c2d3',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'gpt-4o',
    choices: [{ index: 0, message: { role: 'assistant', content: ANSWER + padding }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 31, completion_tokens: 96, total_tokens: 127 },
  }));
}

function citation(number: number): object {
  const url = `https://example.org/zephyr-bridge/source-${number}`;
  return {
    id: url,
    title: `Zephyr Bridge, source ${number}`,
    url,
    publishedDate: '2021-05-14T08:00:00.000Z',
    author: 'A. Writer',
  };
}

/** Fills the answer up until the reply has its size. */
function padded(build: (padding: string) => object): Buffer {
  const bare = Buffer.byteLength(JSON.stringify(build('')));
  return Buffer.from(JSON.stringify(build(' More on it below.'.repeat(100).slice(0, Math.max(0, REPLY_BYTES - bare)))));
}
