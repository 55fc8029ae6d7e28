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
  isKept?: (value: string) => boolean;
}

/** Replaces the values of a form; applied again it changes nothing. */
export function redactForm(text: string, { pattern, isKept }: SecretForm): string {
  return text.replace(pattern, (whole: string, begin: string, value: string, end: unknown) => {
    const isMarked = value.includes(REDACTED) && !value.startsWith(`${REDACTED}@`);
    if (isMarked || isKept?.(value) === true) return whole;
    return begin + REDACTED + (typeof end === 'string' ? end : '');
  });
}
