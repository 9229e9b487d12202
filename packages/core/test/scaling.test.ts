import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Measured } from './scaling/measure.js';
import { SHAPES } from './scaling/shapes.js';
import { MEASURING_MS, measure } from './scaling/start-measuring.js';
import { TEXT_READERS } from './scaling/text-readers.js';

// Reading any provider's reply takes time linear in its length: the process also serves the host's other requests.
// scaling-replies.test.ts measures whole replies.

let ofFunctions: Measured;
beforeAll(async () => {
  ofFunctions = await measure('functions');
}, MEASURING_MS);

describe('the time to read a hostile text is linear', () => {
  it.each(Object.keys(TEXT_READERS))('in %s', (reader) => {
    expect(ofFunctions[reader]).toEqual({ readings: SHAPES.length, problems: [] });
  });
});

/** Exported functions that read no outside text, and parts of functions in the table. */
const OTHERS = new Set(
  `skip isBlank isDigit isLetter isWhiteSpace targetEnd positionWithin positionsOf classify defaultReason maskSecrets isPlain
  decompress jsonEndpoint jsonAnswer readJsonReply queryEndpoint bearer keyHeader currentKey commonSettings parseProviderSettings
  limitsOfProviders isApiKey assertQueryFits readableText assertComplete withProviderWord assertSearched outcomeCost tokensOf
  createConnector Exchange createUpstreamPools buildConnector Pool checkUndici readPastContinue mayGoOn isSeparator LiveMessages urlCitations
  titleOf CitationDrafts reduceChat looseList costAndUsage definedFields messagesAnswer readTurn turnCost setKnown objectOf
  listOf ownChoice ownFirst ChatEnding isEndInOrder nativeFinish saysError reportedError errorBeside reportsFailure LiveTurn chatFinish finishOfWord thoughtTagAt ThoughtReader hasContent
  citedSource foundSources isOfTool openUpstream clientGroupReader behindQuotes matchAt whatIsBehind isOfAddress MarkerWriter
  writeAgain Scanner OwnMarkers WithoutArtefacts BracketPairs BracketReader Paragraph ScannedText TextTail readModels
  wholeNumber textLike atHost creditPrice atCreditPrice atPaidPrice creditCost withPrices googleDates rerankAt embedAt apiKeySetting defineProvider
  partsOf retrievalProvider onePage monthFirst isObject isTooMuchTogether failureOfStatus isSearch isEndOfRun textOf isSuccess unitVector modelName textFields messagesOf inputOf plainTextOf tryJson
  systemText withSystemText outputLimit checkRow rowOf extraModelsSchema isApiKeySource withoutApiKey keysOf keySourceOf namedPages otherUrl`.split(
    /\s+/,
  ),
);

describe('the table of readers', () => {
  const source = join(import.meta.dirname, '../src');
  const ofFolders = ['text', 'provider-kit', 'upstream'].flatMap((folder) =>
    readdirSync(join(source, folder))
      .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|^index\.ts$/.test(file))
      .map((file) => `../src/${folder}/${file}`),
  );
  const files = [
    ...ofFolders,
    '../src/base/json-counts.ts',
    '../src/base/options/nearest-name.ts',
    '../src/base/options/mask-urls.ts',
    '../src/auth/client-address.ts',
    '../../dialects/src/openai/url-citations.ts',
  ];

  it.each(files)('has every exported function of %s', async (file) => {
    const exported: Record<string, unknown> = await import(file);
    const functions = Object.keys(exported).filter((name) => typeof exported[name] === 'function');
    expect(functions.filter((name) => !Object.hasOwn(TEXT_READERS, name) && !OTHERS.has(name))).toEqual([]);
  });
});
