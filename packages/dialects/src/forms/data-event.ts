import { oneLine } from '@searchgate/core/extensions';

/** An event without a name. */
export function dataEvent(data: string): string {
  return `data: ${oneLine(data)}\n\n`;
}
