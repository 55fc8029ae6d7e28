/** Sections of a bundle, in the order in which they are shown; `--section` chooses among them. */
export const BUNDLE_SECTIONS = [
  'cause',
  'stack',
  'request',
  'story',
  'probes',
  'deploy',
  'device',
  'grouping',
  'redaction',
  'reproduction',
] as const;
export type BundleSection = (typeof BUNDLE_SECTIONS)[number];
