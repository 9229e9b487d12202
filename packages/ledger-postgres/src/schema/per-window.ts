/** A text for the day, the week and the month, each in the place of `@`. */
export function perWindow(text: string, separator = ', '): string {
  return ['day', 'week', 'month'].map((name) => text.replaceAll('@', name)).join(separator);
}
