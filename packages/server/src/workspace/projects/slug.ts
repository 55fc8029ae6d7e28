const SLUG_LENGTH_MAX = 80;
/** Room for the number behind a slug that is taken: a hyphen and five digits. */
const NUMBER_LENGTH_MAX = 6;

/** What a slug and its numbered variants have in common: by this the taken ones are looked for. */
export function slugStem(slug: string): string {
  return slug.slice(0, SLUG_LENGTH_MAX - NUMBER_LENGTH_MAX).replace(/-$/, '');
}

/** A slug made from a name, with a number behind it when it is taken (docs/contract/incidents.md 7.3). */
export function slugFromName(name: string, taken: readonly string[]): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, SLUG_LENGTH_MAX)
    .replace(/-$/, '');
  const base = plain === '' ? 'project' : plain;
  const used = new Set(taken);
  if (!used.has(base)) return base;
  for (let number = 2; ; number += 1) {
    const candidate = `${slugStem(base)}-${number}`;
    if (!used.has(candidate)) return candidate;
  }
}
