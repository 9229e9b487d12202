import { z } from 'zod';
import type { AnswerStatusBody, UsageBody } from '../success-bodies.js';
import { describing } from './describing.js';

const requests = z.int().min(0).describe('Answers that were charged.');
const cost = z.number().describe('US dollars. What was charged, and what was corrected since.');
const time = z.iso.datetime();

const usage = describing<UsageBody>()(
  z
    .strictObject({
      data: z
        .array(
          z.union([
            z.strictObject({ day: z.iso.date(), requests, cost }),
            z.strictObject({ model: z.string().nullable(), requests, cost }),
            z.strictObject({ tag: z.string().nullable(), requests, cost }),
          ]),
        )
        .describe('One row for each day, model or tag that was used, in their order; `null` for none, last.'),
      total: z.strictObject({ requests, cost }),
    })
    .describe('What the calling key has spent in the days asked about.'),
);

const answerStatus = describing<AnswerStatusBody>()(
  z
    .strictObject({
      id: z.string(),
      status: z
        .enum(['held', 'charged', 'released', 'expired'])
        .describe('Under way; answered; failed at no cost; cut off by the end of a process.'),
      model: z.string().describe('The model that ran; the one asked for where none did.'),
      provider: z.string().nullable().describe('Who served; `null` where no one did, or where it is not known.'),
      cost: z.number().describe('US dollars. What was charged.'),
      created_at: time,
      ended_at: time.nullable().describe('`null` while the answer is under way.'),
    })
    .describe('What became of an answer. Neither its query nor its text is kept.'),
);

/** The bodies of the extension `usage`. */
export const USAGE_SCHEMAS = { Usage: usage, AnswerStatus: answerStatus };
