import {
  type KindPorts,
  type ModelRow,
  type PortName,
  UpstreamError,
  type UpstreamReason,
} from '@searchgate/core/provider-kit';

type PortOf<Name extends PortName> = NonNullable<KindPorts[Name]>;
type AskOf<Name extends PortName> = PortOf<Name> extends Readonly<Record<Name, infer Ask>> ? Ask : never;

/** What the port of a provider is asked, such as a `ProviderSearch`. */
export type FakeCall<Name extends PortName> =
  AskOf<Name> extends (call: infer Call, ...rest: never[]) => unknown ? Call : never;

/** What one attempt at a port gives: fields of its outcome in place of the default ones, or a failure, as in {@link FakeReply}. */
export type FakePortReply<Name extends PortName> =
  | Partial<AskOf<Name> extends (...given: never[]) => Promise<infer Outcome> ? Outcome : never>
  | {
      /** The failure of the attempt. An error is thrown unchanged. */
      readonly failure: UpstreamReason | Error;
    };

/** A reply, or a function from the call to the reply. */
export type FakePortReplySource<Name extends PortName> =
  | FakePortReply<Name>
  | ((call: FakeCall<Name>) => FakePortReply<Name> | Promise<FakePortReply<Name>>);

/** The ports of all kinds of calls but questions, under the control of a test. */
export interface FakePorts {
  /** The calls of each port so far, retries included, in order of arrival. */
  readonly calls: { readonly [Name in PortName]: readonly FakeCall<Name>[] };
  /** Sets the replies to the next attempts at a port, in order. The last reply repeats. @param port such as `search`. */
  replyTo<Name extends PortName>(port: Name, ...replies: readonly FakePortReplySource<Name>[]): void;
}

interface PortFacts<Name extends PortName> {
  /** What its models have besides slug and price. */
  readonly row: Partial<ModelRow>;
  /** The unit of the list price. */
  readonly unit: 'request' | 'perPage' | 'perSearchUnit' | 'perMillionTokens';
  readonly limits: Omit<PortOf<Name>, Name | 'models'>;
  outcome(call: FakeCall<Name>): object;
}

/** A kind of calls without its facts does not compile. */
const PORTS: { readonly [Name in PortName]: PortFacts<Name> } = {
  search: {
    row: { features: ['content'], maxResults: 20 },
    unit: 'request',
    limits: {},
    outcome: ({ includeContent }) => ({
      results: [
        {
          url: 'https://example.org/',
          title: 'A fake page',
          snippet: 'Fake.',
          ...(includeContent && { content: 'A fake text.' }),
        },
      ],
    }),
  },
  extract: {
    row: {},
    unit: 'perPage',
    limits: { maxUrls: 20 },
    outcome: ({ urls }) => ({ pages: urls.map((url) => ({ url, title: 'A fake page', content: 'A fake text.' })) }),
  },
  rerank: {
    row: { maxDocuments: 1_000 },
    unit: 'perSearchUnit',
    limits: {},
    outcome: ({ documents }) => ({ ranks: documents.map((_, index) => ({ index, score: 1 / (index + 1) })) }),
  },
  embed: {
    row: { features: ['dimensions_param', 'input_type'], dimensions: 8 },
    unit: 'perMillionTokens',
    limits: { maxInputs: 100 },
    outcome: ({ inputs, model: { dimensions: most = 8 }, dimensions = most }) => ({
      embeddings: inputs.map((text, index) => ({ index, vector: vectorOf(text, dimensions) })),
    }),
  },
};

/** The same text has the same vector. */
function vectorOf(text: string, length: number): number[] {
  return Array.from({ length }, (_, at) => ((text.charCodeAt(at % text.length) % 64) + 1) / 64);
}

/** Builds the ports. @param rowOf makes the row of a model. */
export function fakePorts(
  rowOf: (port: PortName, unit: PortFacts<PortName>['unit'], more: Partial<ModelRow>) => ModelRow,
) {
  const calls = { search: [], extract: [], rerank: [], embed: [] } as Record<PortName, unknown[]>;
  const replies = new Map<PortName, readonly unknown[]>();

  function portOf(name: PortName): object {
    const { row, unit, limits, outcome } = PORTS[name] as PortFacts<PortName>;
    async function ask(call: never): Promise<object> {
      calls[name].push(call);
      const [source = {}, ...later] = replies.get(name) ?? [];
      if (later.length > 0) replies.set(name, later);
      const reply = (
        typeof source === 'function' ? await (source as (of: unknown) => unknown)(call) : source
      ) as FakePortReply<PortName>;
      if (!('failure' in reply)) return { cost: {}, ...outcome(call), ...reply };
      throw typeof reply.failure === 'string' ? new UpstreamError(reply.failure, { phase: 'headers' }) : reply.failure;
    }
    return { models: [rowOf(name, unit, row)], ...limits, [name]: ask };
  }

  const ports = Object.fromEntries((Object.keys(PORTS) as PortName[]).map((name) => [name, portOf(name)]));
  const control: FakePorts = {
    calls: calls as unknown as FakePorts['calls'],
    replyTo: (port, ...next) => void replies.set(port, next),
  };
  return { ...(ports as Required<KindPorts>), ...control };
}
