import { describe, expect, it } from 'vitest';
import { chatCompletions, responses } from '../src/index.js';
import { askerOf, ENOUGH_TOKENS } from './asker-of.js';

const QUESTION = 'When did the Zephyr Bridge open?';
const user = { role: 'user', content: QUESTION };
const system = (content: unknown, role = 'system') => ({ role, content });
const turns = [{ role: 'user', content: 'Hello.' }, { role: 'assistant', content: 'Hello!' }, user];

/** Asks with instructions or a limit in the form of a door. */
type Ask = (fields: {
  model?: string;
  instructions?: string;
  limit?: number;
  more?: object;
}) => ReturnType<ReturnType<typeof askerOf>>;
type Options = Parameters<typeof chatCompletions>[0];

/** Each door: how it is asked, and its names of the fields. */
const DOORS = {
  chat: {
    ask(options?: Options): Ask {
      const ask = askerOf({ chatCompletions: chatCompletions(options) });
      return ({ model = 'exa/answer', instructions, limit, more }) => {
        const messages = instructions === undefined ? [user] : [system(instructions), user];
        return ask({ model, messages, ...(limit !== undefined && { max_tokens: limit }), ...more });
      };
    },
    names: { instructions: 'messages.0', limit: 'max_tokens', turns: 'messages', search: 'web_search_options' },
    searches: { web_search_options: {} },
  },
  response: {
    ask(options?: Options): Ask {
      const ask = askerOf({ responses: responses(options) });
      return ({ model = 'exa/answer', instructions, limit, more }) =>
        ask({ model, input: [user], instructions, max_output_tokens: limit, ...more });
    },
    names: { instructions: 'instructions', limit: 'max_output_tokens', turns: 'input', search: 'tools' },
    searches: { tools: [{ type: 'web_search' }] },
  },
};

const parts = (type: string) => ['Be brief.', 'Cite twice.'].map((text) => ({ type, text }));
const GIVEN: [keyof typeof DOORS, object, string | undefined][] = [
  ['chat', { messages: [system('Be brief.'), user] }, 'Be brief.'],
  ['chat', { messages: [system('Be brief.', 'developer'), user] }, 'Be brief.'],
  ['chat', { messages: [system(parts('text')), user] }, 'Be brief.\nCite twice.'],
  ['chat', { messages: [system('A.'), system('B.', 'developer'), system('C.'), user] }, 'A.\n\nB.\n\nC.'],
  ['chat', { messages: [system('A.'), ...turns] }, 'A.'],
  ['chat', { messages: [system(''), system('A.'), system(' \n'), user] }, 'A.'],
  ['chat', { messages: [system(''), system([], 'developer'), user, system('')] }, undefined],
  ['response', { instructions: 'Be brief.' }, 'Be brief.'],
  ['response', { input: [system(parts('input_text'), 'developer'), user] }, 'Be brief.\nCite twice.'],
  ['response', { instructions: 'A.', input: [system('B.'), system('C.'), ...turns] }, 'A.\n\nB.\n\nC.'],
  ['response', { instructions: 'A.', input: QUESTION }, 'A.'],
  ['response', { instructions: ' ', input: [{ type: 'message', ...system('A.') }, user] }, 'A.'],
  ['response', { instructions: '', input: [system(''), user] }, undefined],
  ['response', { instructions: null, input: QUESTION }, undefined],
];

it.each(GIVEN)('%s: instructions of %j reach the model apart from the question', async (door, more, instructions) => {
  const { question } = await DOORS[door].ask()({ more });
  expect([question?.query, question?.instructions]).toEqual([QUESTION, instructions]);
});

it.each<[keyof typeof DOORS, object, number | undefined]>([
  ['chat', { max_tokens: 7 }, 7],
  ['chat', { max_completion_tokens: 7 }, 7],
  ['chat', { max_tokens: 7, max_completion_tokens: 7 }, 7],
  ['chat', { max_tokens: null, max_completion_tokens: '' }, undefined],
  ['response', { max_output_tokens: 7 }, 7],
  ['response', { max_output_tokens: '' }, undefined],
])('%s: %j limits the answer to %s tokens', async (door, more, limit) => {
  expect((await DOORS[door].ask()({ more })).question).toEqual({
    ...(limit !== undefined && { maxOutputTokens: limit }),
    model: expect.anything() as object,
    query: QUESTION,
  });
});

const WHOLE = 'must be a whole number';
const LONG = 'x'.repeat(32_001);
it.each<[keyof typeof DOORS, object, string, string]>([
  ['chat', { max_tokens: 7, max_completion_tokens: 8 }, 'max_completion_tokens', 'says something else than max_tokens'],
  ['chat', { max_tokens: 0 }, 'max_tokens', WHOLE],
  ['chat', { max_completion_tokens: 0 }, 'max_completion_tokens', WHOLE],
  ['chat', { max_completion_tokens: 1.5 }, 'max_completion_tokens', WHOLE],
  ['chat', { max_tokens: '7' }, 'max_tokens', WHOLE],
  ['chat', { messages: [system(LONG), user] }, 'messages.0', 'must have at most 32000 characters'],
  ['chat', { messages: [system(7), user] }, 'messages.0.content', 'must be a string'],
  ['chat', { messages: [system('A.')] }, 'messages', 'must be of user and assistant'],
  ['response', { max_output_tokens: 0 }, 'max_output_tokens', 'must be at least 1'],
  ['response', { max_output_tokens: '7' }, 'max_output_tokens', WHOLE],
  ['response', { instructions: LONG }, 'instructions', 'must have at most 32000 characters'],
  ['response', { instructions: ['A.'] }, 'instructions', 'must be a string'],
])('%s: a wrong field in %j is %s', async (door, more, param, message) => {
  const { error } = await DOORS[door].ask()({ more });
  const text = expect.stringContaining(`${param} ${message}`) as string;
  expect(error).toMatchObject({ code: 'invalid_field', param, message: text });
});

describe.each(Object.values(DOORS))('the door with $names.limit', ({ ask, names, searches }) => {
  it.each(['system', 'developer'])('refuses a text of %s after the first message', async (role) => {
    const { error } = await ask()({ more: { [names.turns]: [...turns, system('Rhyme.', role)] } });
    const message = expect.stringContaining(
      `Leave out of ${names.turns} all but texts of user and assistant, and of system`,
    ) as string;
    expect(error).toMatchObject({ code: 'unsupported_field', param: names.turns, message });
  });

  it.each([{ instructions: 'Rhyme.' }, { limit: 9 }])('refuses %j at a model without the feature', async (fields) => {
    const [name = ''] = Object.keys(fields);
    const { error, event } = await ask()({ model: 'exa/plain', ...fields });
    const param = names[name as keyof typeof names];
    const shown = param === 'messages.0' ? 'messages.0 (instructions)' : param;
    const message = expect.stringContaining(`Leave out ${shown}, or use exa/answer.`) as string;
    expect(error).toMatchObject({ code: 'unsupported_option', param, message });
    expect(event.cost).toBeNull();
  });

  it.each<[Options, { query?: string; instructions?: string; maxOutputTokens?: number }]>([
    [{ instructions: 'ignore', maxOutputTokens: 'ignore' }, {}],
    [{ instructions: 'prepend', maxOutputTokens: 'ignore' }, { query: `Rhyme.\n\n${QUESTION}` }],
  ])('with %j asks a model without the features in its own way, and others as usual', async (options, plain) => {
    const asks = ask(options);
    const given = { instructions: 'Rhyme.', limit: 9 };
    const asked = async (model: string) => (await asks({ model, ...given })).question;
    const shown = { query: QUESTION, instructions: undefined, maxOutputTokens: undefined, ...plain };
    expect({ ...shown, ...(await asked('exa/plain')) }).toMatchObject(shown);
    expect(await asked('exa/answer')).toMatchObject({ query: QUESTION, instructions: 'Rhyme.', maxOutputTokens: 9 });
  });

  it('says where the limit has ended an answer, whole and streamed', async () => {
    const ends = /"finish_reason":"length"|"status":"incomplete"/g;
    for (const stream of [false, true]) {
      const asked = ask();
      const whole = await asked({ limit: ENOUGH_TOKENS, more: { stream } });
      const cut = await asked({ limit: ENOUGH_TOKENS - 1, more: { stream } });
      expect([whole.body.match(ends), cut.body.match(ends)?.length]).toEqual([null, expect.toSatisfy(Boolean)]);
      expect([cut.status, cut.event.cost]).toEqual([200, whole.event.cost]);
    }
  });

  it('refuses a search that is declared and must not be used, and ignores the choice elsewhere', async () => {
    const { error } = await ask()({ more: { tool_choice: 'none', ...searches } });
    const message = expect.stringContaining('Every answer searches') as string;
    expect(error).toMatchObject({ code: 'unsupported_field', param: 'tool_choice', message });
    expect((await ask()({ more: { tool_choice: 'none' } })).status).toBe(200);
    expect((await ask()({ more: { tool_choice: 'auto', ...searches } })).status).toBe(200);
  });
});
