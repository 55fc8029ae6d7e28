/** Words that no text for users holds, and the words that replace them. */
export interface Replaced {
  not: RegExp;
  but: string;
}

/** Sentences and labels of every surface. */
export const EVERYWHERE: readonly Replaced[] = [
  { not: /\b(?:nobody|somebody|whoever)\b/i, but: 'person, no one, or the subject itself' },
  { not: /\bmeanwhile\b/i, but: 'since, or while' },
  { not: /\bby then\b|\bso long\b|\bat rest\b|\bof late\b/i, but: 'when, as long as, idle, recently' },
  {
    not: /\bis over\b|\bgo(?:es)? on\b|\bbegins? anew\b|\bonce more\b/i,
    but: 'ends, continues, restarts, again',
  },
  { not: /\bas (?:it is|they are)\b|\bof its own\b/i, but: 'unchanged, separate' },
  { not: /\bputs? together\b|\bputting together\b/i, but: 'build' },
  {
    not: /\btake[ns]? (?:(?:it|them|this) )?(?:back|apart)\b|\btake[ns]? (?:it|them|this) out\b/i,
    but: 'undo, split, remove',
  },
  { not: /\bhand(?:s|ed)? over\b|\bgive[ns]? up\b/i, but: 'pass, abandon, or stop retrying' },
  { not: /\bis to be\b|\bare to be\b/i, but: 'should, or will' },
  { not: /\btells?\b|\btold\b/i, but: 'report, show, notify; Alerts as a group' },
  { not: /\bstands?\b/i, but: 'is, appears, is below' },
  { not: /\bany more\b/i, but: 'no longer' },
  { not: /\bat once\b/i, but: 'immediately, or in one request' },
  { not: /\bfor good\b/i, but: 'permanently' },
  { not: /\bswitch(?:ed|es)? (?:\w+ ){0,2}(?:on|off)\b/i, but: 'enable, disable' },
  { not: /\bfates?\b|\btaken in\b/i, but: 'outcome, accepted' },
  { not: /\bleft out on purpose\b|\brefused or stuck\b/i, but: 'filtered; rejected or failed' },
  // `culprit capture rules …` is the name of a command.
  {
    not: /\bcapture rules?\b(?! (?:list|create|update|enable|disable|delete)\b)/i,
    but: 'filter',
  },
  { not: /(?<!--action |\()\bdemot(?:e|es|ed|ing)\b(?!_)/i, but: 'keep without incident' },
  { not: /\bown frames?\b|\bforeign (?:frames?|code)\b/i, but: 'in-app frame, library frame' },
  { not: /\bas sent\b/i, but: 'raw' },
  {
    not: /\b(?:rule|alert|token|webhook|report|project|account) (?:is|was) made\b|\bmake a token\b/i,
    but: 'created, create',
  },
  { not: /\bmend(?:s|ed)?\b/i, but: 'fix' },
  { not: /\bwith commas\b|\bempty is every one\b/i, but: 'comma-separated; leave empty for all' },
  { not: /(?<!event )\bintake\b/i, but: 'Event intake' },
  { not: /\bfits with low confidence\b/i, but: 'weak match' },
  { not: /\bas the (?:preset|system)\b/i, but: 'preset, system' },
  { not: /\bwords that are values\b/i, but: 'variable words' },
  { not: /\bshortcuts of a single key\b/i, but: 'single-key shortcuts' },
  { not: /\bpeek at it\b|\bselect it\b/i, but: 'preview, select' },
  { not: /\bno incident has all of this\b/i, but: 'no incidents match' },
  { not: /\bthe screen waits\b/i, but: 'waiting for your first event' },
  { not: /\bshown only now\b/i, but: "copy it now, you won't see it again" },
  { not: /\bmade a mistake\b/i, but: 'something went wrong' },
  { not: /\bwhat there is already\b/i, but: 'no change' },
  { not: /\basks? an address\b/i, but: 'request a URL' },
  { not: /\bown filters\b/i, but: 'custom' },
  { not: /\bso many more\b/i, but: 'this many more' },
  { not: /\bthrow(?:s|n|ing)? (?:\w+ ){0,2}away\b/i, but: 'discard' },
  {
    not: /\b(?:server|service|program|library|release|one|Culprit) does not know\b|\bforgets?\b/i,
    but: 'does not support, is unknown, delete',
  },
  { not: /\b(?:exclude|follow) each other\b/i, but: 'cannot be combined, are synchronized' },
  { not: /\b(?:come|came) apart\b/i, but: 'split' },
];

/** Dashboard, mail and chat messages: what people read who do not know the API. */
export const FOR_PEOPLE: readonly Replaced[] = [
  { not: /\bbundles?\b/i, but: 'evidence' },
  { not: /\bgenerations?\b/i, but: 'version' },
  { not: /\bimprovements?\b/i, but: 'insight' },
];

/** Whole labels of the dashboard. */
export const LABELS: readonly Replaced[] = [
  { not: /^Tell$/, but: 'Alerts' },
  { not: /^Intake$/, but: 'Event intake' },
  { not: /^Lost$/, but: 'Rejected' },
  { not: /^Policy and rules$|^Capture(?: rules?| policy)?$/, but: 'Event filters, filter' },
  { not: /^Improvements$/, but: 'Insights' },
  { not: /^Checks$/, but: 'Uptime' },
  { not: /^Tail$/, but: 'Live events' },
  { not: /^People$/, but: 'Members' },
  { not: /^Standing$|^May$|^Heard of$/, but: 'Status, Scope, Last seen' },
  { not: /^Kept$/, but: 'full' },
  { not: /^Fates?$/, but: 'outcome' },
  { not: /^(?:Of|With|From|If at)\b/, but: 'the noun alone' },
];
