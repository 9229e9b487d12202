import { formatUsd } from '@searchgate/core';
import {
  type AnswerCitation,
  type AnswerReply,
  costOf,
  type Dialect,
  type JsonObject,
  oneLine,
  replyValue,
  type WireFormat,
} from '@searchgate/core/extensions';
import { describeForm } from '../forms/describe-form.js';
import { errorText, namesOf } from '../forms/error-text.js';
import { countryCode } from '../forms/values.js';
import { own } from '../openai/read-messages.js';
import { EXA_ERRORS } from './exa-error.js';
import FIELDS from './exa-fields.json' with { type: 'json' };

const nameOf = namesOf(
  new Map([
    ['search.country', 'userLocation'],
    ['response_format.json_schema.schema', 'outputSchema'],
    ['response_format', 'outputSchema'],
    ['instructions', 'systemPrompt'],
  ]),
);

const READ = ['query', 'stream', 'outputSchema', 'userLocation', 'systemPrompt', 'tag'];
const ABOUT = {
  summary: 'Ask a question in the form of Exa',
  reply: ['requestId', 'answer', 'citations', 'costDollars'],
  event: 'A part of the text, or the sources so far.',
};

/** `POST /api/v1/exa/answer`, whole or as events. */
export function exaAnswer(model: string): Dialect {
  return {
    name: 'exa_answer',
    path: '/api/v1/exa/answer',
    keyHeader: EXA_ERRORS.keyHeader,
    fields: {
      read: READ,
      ignored: FIELDS.answer.ignored,
      refused: Object.fromEntries(FIELDS.answer.refused.map((field) => [field, null])),
    },
    nameOf,
    read(body) {
      const schema = own(body, 'outputSchema') ?? undefined;
      const format = new ExaAnswerFormat(schema !== undefined);
      return { fields: { ...questionOf(body, schema), model }, format };
    },
    presentError: ({ error }) => EXA_ERRORS.error(errorText(error, nameOf), error),
    describe: () => describeForm(ABOUT, { name: 'exa_answer', fields: READ }),
  };
}

function questionOf(body: JsonObject, schema: unknown): JsonObject {
  const location = own(body, 'userLocation') ?? undefined;
  return {
    query: own(body, 'query'),
    stream: own(body, 'stream'),
    tag: own(body, 'tag'),
    instructions: own(body, 'systemPrompt') || undefined,
    ...(location !== undefined && { search: { country: countryCode(location, 'userLocation') } }),
    ...(schema !== undefined && { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }),
  };
}

/** exa-js reads `choices[0].delta.content` and `citations` of each event (2.23.0, 2026-11-28). */
class ExaAnswerFormat implements WireFormat {
  readonly #isJson: boolean;

  constructor(isJson: boolean) {
    this.#isJson = isJson;
  }

  body(reply: AnswerReply): string {
    const { id, answer, citations = [] } = replyValue(reply);
    const content = this.#isJson ? (JSON.parse(answer) as unknown) : answer;
    const text = JSON.stringify({ requestId: id, answer: content, citations: citations.map(sourceOf) });
    return `${text.slice(0, -1)},${costText(reply)}}`;
  }

  startEvent(): string {
    return '';
  }

  citationsEvent(citations: readonly AnswerCitation[]): string {
    return dataEvent(JSON.stringify({ citations: citations.map(sourceOf) }));
  }

  deltaEvent(text: string): string {
    return dataEvent(JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] }));
  }

  doneEvent(reply: AnswerReply): string {
    const { citations = [] } = replyValue(reply);
    const last = JSON.stringify({ citations: citations.map(sourceOf) });
    return `${dataEvent(`${last.slice(0, -1)},${costText(reply)}}`)}data: [DONE]\n\n`;
  }

  errorEvent(body: string): string {
    return dataEvent(body);
  }
}

/** As text: a number could be written with an exponent. */
function costText(reply: AnswerReply): string {
  return `"costDollars":{"total":${formatUsd(costOf(reply))}}`;
}

function dataEvent(data: string): string {
  return `data: ${oneLine(data)}\n\n`;
}

function sourceOf({ url, title, snippet }: AnswerCitation) {
  return { id: url, url, title, ...(snippet !== '' && { text: snippet }) };
}
