export const OPENED = 'The Zephyr Bridge opened in 2021.';
export const PASSAGES = [
  'Bread is made of flour, water and salt.',
  'The Zephyr Bridge is 200 meters long.',
  OPENED,
  'The Old Bridge was closed in 1987.',
  'The ferry runs every hour.',
  'Cats sleep for most of the day.',
];

/** Questions with the passage that answers each: some share no word with it. */
export const QUESTIONS = [
  ['Which bridge opened in 2021?', OPENED],
  ['How long is the bridge?', 'The Zephyr Bridge is 200 meters long.'],
  ['When does the boat leave?', 'The ferry runs every hour.'],
  ['How much do pets rest?', 'Cats sleep for most of the day.'],
] as const;
