import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { SEARCH_OPTIONS } from '../src/base/search-options/search-options.js';
import { SLUG } from '../src/catalog/catalog-member.js';
import { FEATURE_FLAGS, type FeatureFlag } from '../src/catalog/feature-flags.js';
import { CATEGORIES } from '../src/catalog/model-entry.js';

const text = z.string().regex(/^\S.*\S$/);
const sentence = z.string().regex(/^\S.*\.$/);
const day = z.iso.date();
const usd = z.string().regex(/^\d{1,4}(?:\.\d{1,9})?$/, 'a decimal string of US dollars');
const count = z.int().positive();
const flags = z
  .array(z.enum(Object.keys(FEATURE_FLAGS) as FeatureFlag[]))
  .refine((words) => new Set(words).size === words.length, 'each flag once');

const provenance = {
  source: z.string().min(10),
  asOf: day,
  confidence: z.enum(['high', 'medium', 'low']),
  notes: sentence.optional(),
  validFrom: day.optional(),
  perResult: usd.optional(),
  perPage: usd.optional(),
  perSearchUnit: usd.optional(),
  perMillionTokens: usd.optional(),
  includedResults: count.optional(),
  resultStep: count.optional(),
  heldPages: count.optional(),
};
const rates = {
  perMillionInputTokens: usd.optional(),
  heldPerMillionInputTokens: usd.optional(),
  perMillionCachedInputTokens: usd.optional(),
  perMillionOutputTokens: usd.optional(),
  perSearch: usd.optional(),
  typical: usd,
  ceiling: usd,
};
const flat = z.strictObject({ ...provenance, kind: z.literal('flat'), request: usd.optional() });
const dynamic = z.strictObject({ ...provenance, ...rates, kind: z.literal('dynamic') });
const wholePrice = z.discriminatedUnion('kind', [flat, dynamic]);
const price = flat.extend({ ...rates, kind: z.enum(['flat', 'dynamic']) }).partial();

const known = {
  name: text,
  description: sentence,
  notes: sentence,
  prices: z.array(price).min(1),
  features: flags,
  vendorFeatures: flags,
  options: z.string(),
  contextLength: count,
  maxDocuments: count,
  chunkTokens: count,
  maxRequestTokens: count,
  vectorLengths: z.array(count).min(1),
  leastDimensions: count,
  retiresOn: day,
  replacement: z.string().regex(SLUG),
  timeoutMs: count,
};
const fields = z.strictObject(known).partial();
/** What the catalog holds of the models that it lists. */
const OF_CATALOG = { name: true, description: true, prices: true, features: true } as const;
const answerRow = z
  .object({ ...known, prices: z.array(wholePrice).min(1) })
  .partial()
  .required({ ...OF_CATALOG, timeoutMs: true });
const listedRow = answerRow.partial(OF_CATALOG);

const option = z.strictObject({
  as: z.string(),
  values: z.string().optional(),
  max: count.optional(),
});
const options = z.record(
  z.string(),
  z.strictObject({ notes: sentence, ...Object.fromEntries(SEARCH_OPTIONS.map((name) => [name, option])) }).partial(),
);
const section = z.strictObject({
  notes: sentence.optional(),
  shared: fields.optional(),
  price: price.optional(),
  models: z.record(z.string(), fields),
});

/** The form of a `models.json`. */
const modelFile = z
  .strictObject({
    options: options.optional(),
    ...(Object.fromEntries(CATEGORIES.map((category) => [category, section.optional()])) as Record<
      (typeof CATEGORIES)[number],
      z.ZodOptional<typeof section>
    >),
  })
  .superRefine(({ options: tables = {}, ...sections }, context) => {
    const used = new Set<string>();
    for (const category of CATEGORIES) {
      const { shared, price: sharedPrice, models = {} } = sections[category] ?? {};
      for (const [name, own] of Object.entries(models)) {
        const row = { ...shared, ...own };
        const prices = row.prices?.map((each) => ({ ...sharedPrice, ...each }));
        const { error } = (category === 'answer' ? answerRow : listedRow).safeParse({ ...row, prices });
        const path = [category, 'models', name];
        for (const issue of error?.issues ?? [])
          context.addIssue({ code: 'custom', message: issue.message, path: [...path, ...issue.path] });
        if (row.options === undefined) continue;
        used.add(row.options);
        if (!(row.options in tables))
          context.addIssue({ code: 'custom', message: 'no such table', path: [...path, 'options'] });
      }
    }
    for (const name of Object.keys(tables))
      if (!used.has(name))
        context.addIssue({ code: 'custom', message: 'a table that no model has', path: ['options', name] });
  });

/** The problems of a file, each with the file and the path inside of it. */
export function problemsOf(file: string, content: unknown): string[] {
  const { error } = modelFile.safeParse(content);
  const problems = error?.issues.map(({ path, message }) => `${file}: ${path.join('.')}: ${message}`);
  // A rule of a field counts for the whole row too.
  return [...new Set(problems)];
}

/** The `models.json` of every folder of providers. */
export function modelFiles(folder: string): { readonly file: string; readonly content: unknown }[] {
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => {
    const content: unknown = JSON.parse(readFileSync(join(folder, name, 'models.json'), 'utf8'));
    return { file: `${name}/models.json`, content };
  });
}

/** @throws Error listing every problem of every file. */
export function checkModelFiles(folder: string): void {
  const problems = modelFiles(folder).flatMap(({ file, content }) => problemsOf(file, content));
  if (problems.length > 0) throw new Error(problems.join('\n'));
}
