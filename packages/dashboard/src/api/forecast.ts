import { dateOfDay, firstDayOf, formatUsd, monthOfDay, type UsageSums } from '@searchgate/core/ledger';

const MOST_DAYS = 7;

/**
 * What the present month is charged where it goes on as in the last whole days: the charges of the month until yesterday, and the average of these
 * days for today and every day that is left. Today counts with what it has been charged where that is more.
 *
 * @param wholeDays how many days before today count; at most the last seven do.
 * @param readDays the charges of each day from one on until today, by date.
 * @returns decimal USD, rounded down to the nanodollar; `null` without a whole day.
 */
export async function forecast(
  today: number,
  wholeDays: number,
  readDays: (fromDay: number) => Promise<ReadonlyMap<string | null, UsageSums>>,
): Promise<string | null> {
  if (wholeDays < 1) return null;
  const averaged = Math.min(MOST_DAYS, wholeDays);
  const monthStart = firstDayOf(monthOfDay(today));
  const daysLeft = firstDayOf(monthOfDay(today) + 1) - today - 1;
  const days = await readDays(Math.min(monthStart, today - averaged));
  const charged = (from: number, to: number): bigint => {
    let sum = 0n;
    for (let day = from; day < to; day += 1) sum += days.get(dateOfDay(day))?.charged ?? 0n;
    return sum;
  };
  const average = charged(today - averaged, today) / BigInt(averaged);
  const ofToday = charged(today, today + 1);
  const wholeToday = ofToday > average ? ofToday : average;
  return formatUsd(charged(monthStart, today) + wholeToday + average * BigInt(daysLeft));
}
