/** Causes of the corpus that are not yet read as they say, each with the reason. An entry goes when its cause is mended. */
export const KNOWN_GAPS: ReadonlyMap<string, string> = new Map<string, string>([]);
