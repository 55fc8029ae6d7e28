import { REDACTED } from './secret-keys.ts';

/**
 * Returns true if a key with this value holds a secret.
 * @param mark the quotation mark in front of the value, in texts
 */
export type SecretTest = (key: string, value: unknown, mark?: string) => boolean;

/** A form in which texts show a secret. */
export interface SecretForm {
  /** Its first group stays, its second one is the value, and its third one, if any, stays too. */
  pattern: RegExp;
  /** @param at the place of the first group in the text */
  isKept?: (value: string, text: string, at: number) => boolean;
}

/** Replaces the values of a form; applied again it changes nothing. */
export function redactForm(text: string, { pattern, isKept }: SecretForm): string {
  return text.replace(pattern, (whole: string, begin: string, value: string, ...rest: unknown[]) => {
    const isMarked = value.includes(REDACTED) && !value.startsWith(`${REDACTED}@`);
    const [end, at] = typeof rest[0] === 'number' ? ['', rest[0]] : [rest[0] ?? '', Number(rest[1])];
    if (isMarked || isKept?.(value, text, at) === true) return whole;
    return `${begin}${REDACTED}${end}`;
  });
}
