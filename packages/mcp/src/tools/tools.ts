import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { LIST_MODELS, listModels } from './list-models.js';
import { createSearchAnswer, searchAnswerTool } from './search-answer.js';
import type { ToolCall } from './tool-call.js';

export interface Tools {
  /** As clients get it. */
  readonly list: readonly Tool[];
  readonly calls: ReadonlyMap<string, ToolCall>;
}

/** @param defaultModel what `search_answer` asks where no model is named; `undefined` to make one needed. */
export function createTools(defaultModel: string | undefined): Tools {
  const answering = searchAnswerTool(defaultModel);
  return {
    list: [answering, LIST_MODELS],
    calls: new Map([
      [answering.name, createSearchAnswer(defaultModel)],
      [LIST_MODELS.name, listModels],
    ]),
  };
}
