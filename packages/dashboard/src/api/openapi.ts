import { z } from 'zod';
import { newBudget } from './budgets.js';
import { changeQuery } from './changes.js';
import schemas from './contract.schema.json' with { type: 'json' };
import { json, METHODS, nothing, type Routes } from './exchange.js';
import { keyQuery } from './key-list.js';
import { keyChange, keyCsvQuery, newKey } from './keys.js';
import {
  newAdjustment,
  newGrant,
  newOrganization,
  organizationChange,
  organizationQuery,
  pageQuery,
} from './organizations.js';
import { requestCsvQuery, requestQuery } from './requests.js';
import { statisticsQuery } from './statistics.js';
import { newTenantKey } from './tenant-keys.js';
import { usageQuery } from './usage.js';

type SchemaName = keyof typeof schemas;

interface Operation {
  readonly summary: string;
  readonly query?: z.ZodObject;
  /** Of a change. */
  readonly body?: z.ZodObject;
  /** The schema of the answer; in an array, of the elements of a page. Default: CSV. */
  readonly answer?: SchemaName | readonly [SchemaName];
}

const ORGANIZATION = { answer: 'OrganizationView' } as const;
const change = (summary: string, body: z.ZodObject, answer: SchemaName = 'OrganizationView') => ({
  POST: { summary, body, answer },
});

/** Every route but those of the page alone. The ids of a path are stars. */
const OPERATIONS: Readonly<Record<string, Partial<Record<(typeof METHODS)[number], Operation>>>> = {
  'api/v1/session': { GET: { summary: 'The role and the organizations of the caller', answer: 'Session' } },
  'api/v1/models': { GET: { summary: 'All callable models', answer: ['Model'] } },
  'api/v1/organizations': {
    GET: { summary: 'Organizations', query: organizationQuery, answer: ['OrganizationView'] },
    ...change('Create an organization; a known one stays as it is', newOrganization),
  },
  'api/v1/organizations/*': { GET: { summary: 'An organization', ...ORGANIZATION } },
  'api/v1/organizations/*/grant': change('Add credits; the same grant_id adds them once', newGrant),
  'api/v1/organizations/*/adjust': change('Correct the usage by a signed amount, once for an id', newAdjustment),
  'api/v1/organizations/*/update': change('Change the given fields', organizationChange),
  'api/v1/organizations/*/suspend': change('Refuse all of its keys', nothing),
  'api/v1/organizations/*/resume': change('Serve its keys again', nothing),
  'api/v1/organizations/*/erase': change(
    'Remove its kept replies, its own keys, and its rows from both logs',
    nothing,
    'Erased',
  ),
  'api/v1/organizations/*/budgets': {
    GET: { summary: 'Budgets, at most 100 on a page', query: pageQuery, answer: ['BudgetRow'] },
  },
  'api/v1/organizations/*/budgets/*': {
    GET: { summary: 'A budget', answer: 'BudgetRow' },
    PUT: { summary: 'Set or replace a budget', body: newBudget, answer: 'BudgetRow' },
    DELETE: { summary: 'Delete a budget that no key names', answer: 'BudgetRow' },
  },
  'api/v1/organizations/*/tenant-keys': {
    GET: { summary: 'Own keys at providers; 404 where the host keeps none', answer: ['TenantKeyRow'] },
  },
  'api/v1/organizations/*/tenant-keys/*': {
    GET: { summary: 'An own key: its end alone', answer: 'TenantKeyRow' },
    PUT: { summary: 'Set or replace an own key; no answer has it', body: newTenantKey, answer: 'TenantKeyRow' },
    DELETE: { summary: 'Delete an own key', answer: 'TenantKeyRow' },
  },
  'api/v1/keys': {
    GET: { summary: 'API keys', query: keyQuery, answer: 'KeyPage' },
    ...change('Create a key; only this answer has its secret', newKey, 'CreatedKey'),
  },
  'api/v1/keys.csv': { GET: { summary: 'At most 1,000 keys as CSV', query: keyCsvQuery } },
  'api/v1/keys/*': { GET: { summary: 'A key', answer: 'KeyRow' } },
  'api/v1/keys/*/update': change('Change the given fields', keyChange, 'KeyRow'),
  'api/v1/keys/*/revoke': change('Refuse the key, forever', nothing, 'KeyRow'),
  'api/v1/keys/*/rotate': change('Create a key with the same settings', nothing, 'CreatedKey'),
  'api/v1/usage': { GET: { summary: 'Usage by group', query: usageQuery, answer: 'UsageTable' } },
  'api/v1/usage.csv': { GET: { summary: 'Usage as CSV', query: usageQuery } },
  'api/v1/requests': { GET: { summary: 'The log of calls', query: requestQuery, answer: ['RequestRow'] } },
  'api/v1/requests.csv': {
    GET: { summary: 'The newest 10,000 calls as CSV; texts=true adds questions and answers', query: requestCsvQuery },
  },
  'api/v1/requests/*': { GET: { summary: 'A call with its attempts', answer: 'RequestWithAttempts' } },
  'api/v1/requests/*/text': {
    GET: { summary: 'The question and the answer of a call, for readers and operators', answer: 'CapturedText' },
  },
  'api/v1/changes': { GET: { summary: 'Who changed what', query: changeQuery, answer: ['ChangeRow'] } },
  'api/v1/statistics': {
    GET: { summary: 'Calls, cost, failures and latencies over time', query: statisticsQuery, answer: 'Statistics' },
  },
  'api/v1/statistics.csv': { GET: { summary: 'Statistics as CSV', query: statisticsQuery } },
  'api/v1/health': { GET: { summary: 'Ledger, providers and this process', answer: 'Health' } },
};

const OF_THE_PAGE = 'api/v1/ask/*';

/** The routes that scripts may use, as OpenAPI 3.1. @param routes those that this host has. */
export function openApiRoute(routes: Routes): Routes {
  const paths = Object.entries(routes)
    .filter(([pattern]) => pattern !== OF_THE_PAGE)
    .map(([pattern, route]) => {
      const path = pattern
        .replace(/^api\/v1/, '')
        .replace('*', '{id}')
        .replace('*', pattern.includes('tenant-keys') ? '{provider}' : '{budget}');
      const described = METHODS.filter((method) => route[method]).map((method) => {
        const operation = OPERATIONS[pattern]?.[method];
        if (operation === undefined) throw new Error(`${method} ${pattern} is not described`);
        return [method.toLowerCase(), describe(path, operation)] as const;
      });
      return [path, Object.fromEntries(described)];
    });
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Searchgate admin API',
      version: '1',
      description:
        'Amounts are decimal USD, times ISO texts in UTC. Every change is a POST, PUT or DELETE, by an operator.',
    },
    servers: [{ url: './' }],
    security: [{ managementToken: [] }],
    paths: Object.fromEntries(paths) as object,
    components: { securitySchemes: { managementToken: { type: 'http', scheme: 'bearer' } }, schemas },
  };
  return { 'api/v1/openapi.json': { GET: () => json(document) } };
}

function describe(path: string, { summary, query, body, answer }: Operation): object {
  const ids = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
  const parameters = [
    ...ids.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...Object.entries((query?.shape ?? {}) as Readonly<Record<string, z.ZodType>>).map(([name, schema]) => ({
      name,
      in: 'query',
      required: !schema.safeParse(undefined).success,
      schema: schemaOf(schema),
    })),
  ];
  return {
    summary,
    parameters,
    ...(body !== undefined && { requestBody: { required: true, content: jsonOf(schemaOf(body)) } }),
    responses: {
      200: { description: summary, content: contentOf(answer) },
      default: { description: 'Refused or failed', content: jsonOf({ $ref: '#/components/schemas/ErrorBody' }) },
    },
  };
}

function contentOf(answer: Operation['answer']): object {
  if (answer === undefined) return { 'text/csv': { schema: { type: 'string' } } };
  if (typeof answer === 'string') return jsonOf({ $ref: `#/components/schemas/${answer}` });
  const properties = {
    data: { type: 'array', items: { $ref: `#/components/schemas/${answer[0]}` } },
    next_cursor: { type: ['string', 'null'], description: 'cursor of the next page' },
  };
  return jsonOf({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false });
}

function jsonOf(schema: object): object {
  return { 'application/json': { schema } };
}

function schemaOf(schema: z.core.$ZodType): object {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}
