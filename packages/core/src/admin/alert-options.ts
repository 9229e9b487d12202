import { z } from 'zod';
import { parseUsd, readUsd } from '../base/money.js';
import { multiplier } from '../base/options/option-schemas.js';

/** When the gateway warns its host that money runs out. Give at least one of the two options. */
export interface AlertOptions {
  /** At most 10 different shares of a budget, decimal strings above 0 and at most 100: `['0.8', '1']`. Each share is one event. @default no shares */
  readonly thresholds?: readonly string[] | undefined;
  /** Warn when an organization's balance falls below this amount: USD, a decimal string above 0. @default no warning */
  readonly creditsLow?: string | undefined;
}

const MOST_THRESHOLDS = 10;
const AMOUNT = 'a decimal string of US dollars above 0 such as "10.00"';
const NEITHER = "an object such as { thresholds: ['0.8', '1'], creditsLow: '10.00' }";

export const alertsSchema = z
  .strictObject(
    {
      thresholds: z
        .array(multiplier, 'an array of decimal strings such as "0.8"')
        .max(MOST_THRESHOLDS, `at most ${MOST_THRESHOLDS} thresholds`)
        .refine((thresholds) => new Set(thresholds).size === thresholds.length, 'no threshold twice')
        .default([]),
      creditsLow: z
        .string(AMOUNT)
        .refine((text) => (readUsd(text) ?? 0n) > 0n, AMOUNT)
        .transform(parseUsd)
        .nullable()
        .default(null),
    },
    NEITHER,
  )
  .refine(({ thresholds, creditsLow }) => thresholds.length > 0 || creditsLow !== null, NEITHER);

/** The options after parsing. */
export type AlertConfig = z.output<typeof alertsSchema>;
