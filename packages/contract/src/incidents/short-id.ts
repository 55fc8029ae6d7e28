/** Short numbers of incidents: the key of their project and a number (docs/contract/team-workflow.md 0.2). */

/** Form of a project's key. */
export const INCIDENT_KEY_PATTERN = '^[A-Z][A-Z0-9]{1,9}$';

const SHORT_ID = /^([A-Za-z][A-Za-z0-9]{1,9})-([1-9]\d{0,8})$/;

export interface ShortId {
  readonly key: string;
  readonly number: number;
}

/** Key and number of a short number in any case; null where the text has another form. */
export function readShortId(text: string): ShortId | null {
  const [, key, number] = SHORT_ID.exec(text) ?? [];
  return key === undefined ? null : { key: key.toUpperCase(), number: Number(number) };
}
