import { describe, expect, it } from 'vitest';
import { bodySchema, partOf } from './openapi-document.js';

const ask = (path: string, origin = 'https://api.example') => ({ method: 'POST', url: new URL(origin + path) });

const QUESTION = { type: 'object', properties: { text: { $ref: '#/components/schemas/Text' } } };
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Example', version: '1' },
  servers: [{ url: 'https://api.example/v1/' }],
  security: [{ key: [] }],
  paths: {
    '/answers': {
      parameters: [{ $ref: '#/components/parameters/Language' }],
      post: {
        security: [{ other: [] }],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Question' } } } },
        responses: { '200': { content: { 'application/json': { schema: { $ref: '#/nowhere' } } } } },
        servers: [{ url: 'https://elsewhere.example' }],
      },
      get: { responses: {} },
    },
    '/models/{model}:ask': { post: { requestBody: { $ref: '#/components/requestBodies/Ask' } } },
    '/unused': { post: { requestBody: { $ref: '#/components/requestBodies/Gone' } } },
  },
  components: {
    schemas: { Question: QUESTION, Text: { type: 'string', example: { $ref: 'no reference' } }, Unused: {} },
    parameters: { Language: { name: 'language', in: 'query' } },
    requestBodies: { Ask: { content: { 'application/json': { schema: QUESTION } } } },
    securitySchemes: { key: { type: 'apiKey' } },
  },
};

describe('partOf', () => {
  it('keeps the requests and all they refer to, below the path of the server', () => {
    expect(partOf(DOCUMENT, [ask('/v1/answers')])).toEqual({
      undocumented: [],
      document: {
        openapi: '3.1.0',
        info: { title: 'Example', version: '1' },
        servers: [{ url: '/' }],
        security: [{ key: [] }],
        paths: {
          '/v1/answers': {
            parameters: [{ $ref: '#/components/parameters/Language' }],
            post: {
              security: [{ other: [] }],
              requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Question' } } } },
              responses: { '200': { description: 'Valid.' } },
            },
          },
        },
        components: {
          schemas: { Question: QUESTION, Text: DOCUMENT.components.schemas.Text },
          parameters: DOCUMENT.components.parameters,
          securitySchemes: DOCUMENT.components.securitySchemes,
        },
      },
    });
  });

  it('calls a document of version 3.2 one of 3.1', () => {
    expect(partOf({ ...DOCUMENT, openapi: '3.2.0' }, []).document['openapi']).toBe('3.1.1');
  });

  it('finds paths with parameters', () => {
    const { document, undocumented } = partOf(DOCUMENT, [ask('/v1/models/large-1:ask')]);
    expect(Object.keys(document['paths'] as object)).toEqual(['/v1/models/{model}:ask']);
    expect(undocumented).toEqual([]);
  });

  it.each([
    ['another path', ask('/v1/answer')],
    ['a path below another', ask('/v1/answers/1')],
    ['another host', ask('/v1/answers', 'https://api.example.org')],
    ['another method', { method: 'PUT', url: new URL('https://api.example/v1/answers') }],
  ])('says that %s is not documented', (_, request) => {
    const { document, undocumented } = partOf(DOCUMENT, [request]);
    expect(document['paths']).toEqual({});
    expect(undocumented).toEqual([request]);
  });

  it('takes a document without servers to be about any host', () => {
    const { servers: _, ...document } = DOCUMENT;
    expect(partOf(document, [ask('/answers')]).undocumented).toEqual([]);
  });

  it('names a reference that leads nowhere, or out of the components', () => {
    expect(() => partOf(DOCUMENT, [ask('/v1/unused')])).toThrow('#/components/requestBodies/Gone, which is not in it');
    const strange = { paths: { '/': { post: { requestBody: { $ref: 'other.yaml#/Body' } } } } };
    expect(() => partOf(strange, [ask('/')])).toThrow('other.yaml#/Body, which is no component');
  });
});

describe('bodySchema', () => {
  it('is the schema of a JSON body, wherever it stands', () => {
    const { document } = partOf(DOCUMENT, [ask('/v1/answers'), ask('/v1/models/a:ask')]);
    expect(bodySchema(document, ask('/v1/answers'))).toEqual({ $ref: '#/components/schemas/Question' });
    expect(bodySchema(document, ask('/v1/models/a:ask'))).toEqual(QUESTION);
    expect(bodySchema(document, ask('/v1/nothing'))).toBeUndefined();
  });
});
