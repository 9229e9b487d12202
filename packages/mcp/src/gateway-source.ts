import type { ExtensionCalls } from '@searchgate/core/extensions';
import { type AnswerSource, given, refused } from './answer-source.js';
import { problemOf } from './problem-of.js';

/** The gateway that the tools are served by. A caller who hangs up is the gateway's own affair, so no signal is needed. */
export function gatewaySource(calls: ExtensionCalls): AnswerSource {
  return {
    async answer(fields) {
      const { answer, refusal } = await calls.answer(fields);
      return refusal === null ? given(answer) : refused(problemOf(refusal));
    },
    models: () => Promise.resolve(given(calls.answerModels())),
  };
}
