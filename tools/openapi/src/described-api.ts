import assert from 'node:assert/strict';
import type { OpenApiDocument } from '@searchgate/core/openapi';
import type { WireRequest, WireResponse } from '@searchgate/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** An OpenAPI document, to be compared with traffic. */
export interface DescribedApi {
  readonly schemas: SchemaChecks;
  /** @throws AssertionError for a response that the document does not describe. @returns the reasons in the response. */
  checkResponse(request: WireRequest, response: WireResponse): readonly string[];
  /** The parts of a request that violate the document; empty for a valid request. */
  faultsOf(request: WireRequest): readonly string[];
}

export function describedApi(document: OpenApiDocument): DescribedApi {
  const schemas = schemaChecks(document);
  const api: Api = { document, schemas };
  return {
    schemas,
    checkResponse: (request, response) => checkResponse(api, request, response),
    faultsOf(request) {
      const { pointer } = operationAt(document, request);
      return [...faultsOfParameters(api, pointer, request), ...faultsOfBody(api, pointer, request)];
    },
  };
}

interface Api {
  readonly document: OpenApiDocument;
  readonly schemas: SchemaChecks;
}

interface Operation {
  readonly parameters?: readonly unknown[];
  readonly requestBody?: object;
}

interface Response {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

interface EventSchema {
  readonly oneOf: readonly { readonly properties: { readonly data: { readonly contentSchema?: object } } }[];
}

/** Added by node:http, or not compared. */
const OF_THE_TRANSPORT = ['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'];

/** The operation of a request; any operation of the path if the method is undescribed. */
function operationAt({ paths }: OpenApiDocument, { method, target }: WireRequest) {
  // A slug may have its slash as it is, which no template can say.
  const sent = (target.split('?')[0] ?? '').replace(/^(\/api\/v1\/models\/[^/]+)\/([^/]+)$/, '$1%2F$2');
  const path = Object.hasOwn(paths, sent)
    ? sent
    : (Object.keys(paths).find((template) => fits(template, sent)) ?? sent);
  const operations = paths[path];
  assert.ok(operations, `${sent} is not described`);
  const isDescribed = Object.hasOwn(operations, method.toLowerCase());
  const name = isDescribed ? method.toLowerCase() : (Object.keys(operations)[0] ?? '');
  return { pointer: `/paths/${escaped(path)}/${name}`, isDescribed };
}

/** Whether a path matches a template such as `/answers/{id}`. */
function fits(template: string, path: string): boolean {
  const pieces = path.split('/');
  const wanted = template.split('/');
  return (
    pieces.length === wanted.length && wanted.every((piece, index) => piece.startsWith('{') || piece === pieces[index])
  );
}

function checkResponse(api: Api, request: WireRequest, response: WireResponse): readonly string[] {
  const { pointer: operation, isDescribed } = operationAt(api.document, request);
  // An undescribed method must be refused, as every operation of the path describes.
  assert.ok(isDescribed || response.status === 405, `${request.method} ${request.target} is not described`);
  const pointer = `${operation}/responses/${response.status}`;
  const described = at(api.document, pointer) as Response | undefined;
  assert.ok(described, `${response.status} is not described for ${operation}`);
  checkHeaders(api, pointer, response);
  return request.method === 'HEAD' ? [] : checkBody(api, pointer, response);
}

function checkHeaders({ document, schemas }: Api, pointer: string, response: WireResponse): void {
  const names = Object.keys((at(document, pointer) as Response).headers ?? {});
  for (const name of names) {
    const [header, { required = false }] = resolve<{ required?: boolean }>(
      document,
      `${pointer}/headers/${escaped(name)}`,
    );
    const value = response.headers[name.toLowerCase()];
    if (value !== undefined) schemas.assertRight(`${header}/schema`, value);
    else assert.ok(!required, `${name} is missing`);
  }
  const known = [...names.map((name) => name.toLowerCase()), ...OF_THE_TRANSPORT];
  const strangers = Object.keys(response.headers).filter((name) => !known.includes(name));
  assert.deepEqual(strangers, [], 'headers that are not described');
}

function checkBody(api: Api, pointer: string, { headers, body }: WireResponse): readonly string[] {
  const { content } = at(api.document, pointer) as Response;
  const text = Buffer.from(body).toString();
  if (content === undefined) {
    assert.equal(text, '', 'a body that is not described');
    return [];
  }
  const type = headers['content-type']?.split(';')[0] ?? '';
  assert.ok(content[type], `${type} is not described`);
  const media = `${pointer}/content/${escaped(type)}`;
  if (type === 'text/event-stream') return checkEvents(api, text, media);
  const value: unknown = JSON.parse(text);
  api.schemas.assertRight(`${media}/schema`, value);
  return reasonsIn(value);
}

/** Checks each event by the schema of its data. */
function checkEvents({ document, schemas }: Api, text: string, media: string): readonly string[] {
  const [pointer, { oneOf }] = resolve<EventSchema>(document, `${media}/x-itemSchema`);
  return eventsOf(text).flatMap((event) => {
    schemas.assertRight(pointer, event);
    const index = oneOf.findIndex((_, place) => schemas.faultsOf(`${pointer}/oneOf/${place}`, event).length === 0);
    if (oneOf[index]?.properties.data.contentSchema === undefined) return [];
    const data: unknown = JSON.parse(event.data);
    schemas.assertRight(`${pointer}/oneOf/${index}/properties/data/contentSchema`, data);
    return reasonsIn(data);
  });
}

function reasonsIn(value: unknown): readonly string[] {
  const { error } = value as { readonly error?: { readonly reason?: string; readonly code: string } | null };
  // OpenAI's form of errors has the reason in `code`.
  return error === undefined || error === null ? [] : [error.reason ?? error.code];
}

function faultsOfParameters({ document, schemas }: Api, operation: string, { target, headers }: WireRequest): string[] {
  const query = new URLSearchParams(target.split('?')[1]);
  const { parameters = [] } = at(document, operation) as Operation;
  return parameters.flatMap((_parameter, index) => {
    const [pointer, { name, in: place }] = resolve<{ name: string; in: 'header' | 'query' }>(
      document,
      `${operation}/parameters/${index}`,
    );
    const given = [place === 'query' ? query.getAll(name) : (headers[name.toLowerCase()] ?? [])].flat();
    const faults = given.flatMap((value) => schemas.faultsOf(`${pointer}/schema`, value));
    return given.length > 1 ? [...faults, `${name} is there more than once`] : faults;
  });
}

function faultsOfBody({ document, schemas }: Api, operation: string, { body }: WireRequest): readonly string[] {
  if ((at(document, operation) as Operation).requestBody === undefined) return [];
  const value = parsed(Buffer.concat(body?.chunks ?? []));
  return schemas.faultsOf(`${operation}/requestBody/content/application~1json/schema`, value);
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString().replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

/** The value at a JSON pointer of the document, or `undefined`. */
function at(document: OpenApiDocument, pointer: string): unknown {
  const names = pointer.split('/').slice(1).map(unescaped);
  return names.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], document);
}

/** Follows `$ref`s. @returns the final pointer, and the part there. */
function resolve<Part>(document: OpenApiDocument, pointer: string): [pointer: string, part: Part] {
  const part = at(document, pointer) as { readonly $ref?: string };
  return part.$ref === undefined ? [pointer, part as Part] : resolve(document, part.$ref.slice(1));
}

/** Escapes a name for a JSON pointer (RFC 6901). */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

interface SentEvent {
  /** Absent for an event without a name. */
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

/** Validates against the schemas of a document, by JSON pointer. */
interface SchemaChecks {
  /** The faults of a value; empty for a valid value. */
  faultsOf(pointer: string, value: unknown): readonly string[];
  /** @throws AssertionError */
  assertRight(pointer: string, value: unknown): void;
}

function schemaChecks(document: OpenApiDocument): SchemaChecks {
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false, strictRequired: false });
  addFormats.default(ajv);
  // The document itself is not a schema: its parts are found by their pointers.
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema(document, 'api', undefined, false);

  function faultsOf(pointer: string, value: unknown): readonly string[] {
    const validate = ajv.getSchema(`api#${pointer}`);
    assert.ok(validate, `no schema at ${pointer}`);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
  }

  return {
    faultsOf,
    assertRight(pointer, value) {
      assert.deepEqual(faultsOf(pointer, value), [], `${JSON.stringify(value)} against ${pointer}`);
    },
  };
}
