import type { LanguageModelV4CallOptions, SharedV4Warning } from '@ai-sdk/provider';

const SAMPLING = [
  'maxOutputTokens',
  'temperature',
  'stopSequences',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
] as const;

const DETAILS = 'The gateway decides how an answer is written.';

/** Warnings for settings of a call that are ignored. */
export function unsupportedSettings(options: LanguageModelV4CallOptions): SharedV4Warning[] {
  const ignored: string[] = SAMPLING.filter((name) => options[name] !== undefined);
  if (options.reasoning !== undefined && options.reasoning !== 'provider-default') ignored.push('reasoning');
  return ignored.map((feature) => ({ type: 'unsupported', feature, details: DETAILS }));
}
