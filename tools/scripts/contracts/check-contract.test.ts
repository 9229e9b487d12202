import { describe, expect, it } from 'vitest';
import { requestChecker } from './check-contract.js';

const QUESTION = {
  type: 'object',
  required: ['text'],
  properties: {
    text: { $ref: '#/components/schemas/Text' },
    size: { nullable: true, enum: ['low', 'high'] },
    top: { type: 'number', minimum: 0, exclusiveMinimum: true },
  },
};
const DOCUMENT = {
  openapi: '3.0.3',
  servers: [{ url: 'https://api.example/v1/' }],
  paths: {
    '/answers': { post: { requestBody: { content: { 'application/json': { schema: QUESTION } } } } },
    '/models/{model}:ask': { post: { requestBody: { $ref: '#/components/requestBodies/Ask' } } },
    '/anything': { post: { requestBody: {} } },
    '/unused': { post: { requestBody: { $ref: '#/components/requestBodies/Gone' } } },
  },
  components: {
    schemas: { Text: { type: 'string', minLength: 2 }, Question: QUESTION },
    requestBodies: { Ask: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Question' } } } } },
  },
};
const check = requestChecker(DOCUMENT);
const ask = (path: string, json: object = { text: 'ab' }, { method = 'POST', origin = 'https://api.example' } = {}) =>
  check({ method, url: new URL(origin + path), json } as Parameters<typeof check>[0]);

describe('requestChecker', () => {
  it.each(['/v1/answers', '/v1/models/large-1:ask'])('passes a documented request to %s', (path) => {
    expect(ask(path, { text: 'ab', size: null, top: 0 })).toEqual([]);
  });

  it.each<[string, string[], Parameters<typeof ask>]>([
    ['another path', ['path: not in the document'], ['/v1/answer']],
    ['a path below another', ['path: not in the document'], ['/v1/answers/1']],
    ['another host', ['path: not in the document'], ['/v1/answers', {}, { origin: 'https://api.example.org' }]],
    ['another method', ['path: not in the document'], ['/v1/answers', {}, { method: 'PUT' }]],
    ['a missing field', ["body: must have required property 'text'"], ['/v1/answers', {}]],
    ['a wrong value', ['body.text: must NOT have fewer than 2 characters'], ['/v1/models/a:ask', { text: 'a' }]],
    ['a misspelt field', ['body.txet: not a field of the document'], ['/v1/answers', { text: 'ab', txet: 'ab' }]],
    ['a document that checks nothing', ['body: the document lets even a list pass'], ['/v1/anything']],
  ])('finds %s', (_, problems, request) => {
    expect(ask(...request)).toEqual(problems);
  });

  it('names a reference that leads nowhere', () => {
    expect(() => ask('/v1/unused')).toThrow('#/components/requestBodies/Gone, which is not in it');
  });
});
