/** The longest address that is taken, after trimming (docs/contract/account.md 2.2). */
export const EMAIL_LENGTH_MAX = 254;

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/** The pattern of one bare address, without anchors. */
export const EMAIL_PATTERN = `${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})*`;
const WHOLE = new RegExp(`^${EMAIL_PATTERN}$`);
const LOCAL_PART_LENGTH_MAX = 64;

/** The form in which addresses are stored and compared; null for text that is not exactly one address. */
export function normalizeEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  if (email.length > EMAIL_LENGTH_MAX || email.indexOf('@') > LOCAL_PART_LENGTH_MAX) return null;
  return WHOLE.test(email) ? email : null;
}
