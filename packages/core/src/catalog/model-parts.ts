import { ConfigurationError, type ConfigurationProblem } from '../base/errors/configuration-error.js';
import { nearestName } from '../base/options/nearest-name.js';
import { type OptionSupport, type SupportedOption, supportedOptions } from '../base/search-options/option-support.js';
import { type CallableModel, type CallablePart, neededMs } from './callable-model.js';
import { modelPath } from './catalog-member.js';
import type { ModelPart } from './model-entry.js';
import { askedFor } from './units.js';

/** The models that a name may lead to: those of a group, or a model and its fallbacks and hedges. */
export type LeadsTo = (name: string) => Pick<CallablePart, 'isNextOnEmpty'> & {
  /** One of these has to support the options of a call. */
  readonly named: readonly string[];
  readonly others: readonly string[];
};

/**
 * A model that is made of others, with these: it has the policies that all of them have, and takes the options that each of its searches takes.
 *
 * @throws ConfigurationError for a part that no model serves, or a model of another kind, or with parts itself; for a part twice; and for a part that needs
 * more time than there is.
 */
export function withParts(
  composed: CallableModel,
  models: ReadonlyMap<string, CallableModel>,
  leadsTo: LeadsTo,
): CallableModel {
  const { parts: rows = [], ...row } = composed.model;
  const problems: ConfigurationProblem[] = [];
  const searches: OptionSupport[] = [];
  const find = (slugs: readonly string[]) => slugs.map((slug) => models.get(slug)).filter((each) => each !== undefined);
  const parts = rows.map((part, at): CallablePart => {
    const { kind, model } = part;
    const path = `${modelPath(row.slug)}.parts[${at}]`;
    const { named, others, isNextOnEmpty } = leadsTo(model);
    const found = find([...new Set([...named, ...others])]);
    if (kind === 'search') searches.push(optionsOf(find(named)));
    // The targets of routes are checked with these.
    const isOfKind = found.length > 0 && found.every((each) => isOf(kind, each));
    if (!isOfKind) problems.push(notOfKind(path, part, models));
    const isTwice = rows.findIndex((each) => each.kind === kind && each.model === model) < at;
    if (isTwice) problems.push({ path, found: JSON.stringify(model), expected: 'each model once' });
    const leastMs = isOfKind ? Math.min(...found.map(neededMs)) : 0;
    if (leastMs > composed.timeoutMs) {
      const expected = `at least ${leastMs}, which ${model} needs`;
      problems.push({ path: `${modelPath(row.slug)}.timeoutMs`, found: String(composed.timeoutMs), expected });
    }
    return { kind, model, asked: askedFor(part.most), candidates: found, isNextOnEmpty };
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  const all = parts.flatMap(({ candidates }) => candidates);
  const has = (policy: string) => all.every(({ facts }) => facts.policies.includes(policy));
  const options = sharedOptions(searches);
  const facts = {
    ...composed.facts,
    policies: composed.facts.policies.filter(has),
    options: supportedOptions(options),
  };
  return { ...composed, model: { ...composed.model, options }, facts, parts };
}

function isOf(kind: ModelPart['kind'], { category, model }: CallableModel): boolean {
  return category === kind && model.parts === undefined;
}

function notOfKind(
  path: string,
  { kind, model }: ModelPart,
  models: ReadonlyMap<string, CallableModel>,
): ConfigurationProblem {
  const ofKind = [...models.values()].filter((each) => isOf(kind, each)).map(({ model: { slug } }) => slug);
  const nearest = nearestName(model, ofKind);
  const expected = `a model of category ${kind} without parts, of a configured provider, an alias or a group of such models`;
  return { path, found: JSON.stringify(model), expected, ...(nearest !== undefined && { nearest }) };
}

/** Those of any model: the others are not asked for them. */
function optionsOf(models: readonly CallableModel[]): OptionSupport {
  return Object.assign({}, ...models.map(({ model }) => model.options).reverse()) as OptionSupport;
}

/** Those of all searches, with the values that each of them takes. */
function sharedOptions([first = {}, ...others]: readonly OptionSupport[]): OptionSupport {
  return others.reduce((shared, each) => {
    const both = supportedOptions(shared).flatMap((option) => {
      const [one, other] = [shared[option], each[option]];
      return one === undefined || other === undefined ? [] : [[option, narrower(one, other)] as const];
    });
    return Object.fromEntries(both);
  }, first);
}

function narrower(one: SupportedOption, { values, max = Number.POSITIVE_INFINITY }: SupportedOption): SupportedOption {
  const shared = one.values?.filter((value) => values?.includes(value) ?? true) ?? values;
  return { as: one.as, values: shared, max: one.max === undefined ? max : Math.min(one.max, max) };
}
