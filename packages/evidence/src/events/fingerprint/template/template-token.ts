/** The kind of a value; shown to people, never a part of the key. */
export type ValueKind =
  | 'n'
  | 'hex'
  | 'uuid'
  | 'id'
  | 'ip'
  | 'ts'
  | 'url'
  | 'email'
  | 'path'
  | 'host'
  | 'str'
  | 'list'
  | 'bool';

/** A word, a value or one separator of a message, and if a blank precedes it. */
export interface TemplateToken {
  kind: 'word' | 'separator' | 'value';
  /** The text as written; of a quoted word with plain quotes. */
  text: string;
  isSpaced: boolean;
  valueKind: ValueKind | null;
}

export function wordToken(text: string, isSpaced: boolean): TemplateToken {
  return { kind: 'word', text, isSpaced, valueKind: null };
}

export function separatorToken(text: string, isSpaced: boolean): TemplateToken {
  return { kind: 'separator', text, isSpaced, valueKind: null };
}

/** `valueKind` is null for a value whose kind follows from its text (`kindOfValue`). */
export function valueToken(text: string, isSpaced: boolean, valueKind: ValueKind | null): TemplateToken {
  return { kind: 'value', text, isSpaced, valueKind };
}
