/** A word, a value or one separator of a message, and if a blank precedes it. */
export interface TemplateToken {
  kind: 'word' | 'separator' | 'value';
  /** The text as written; of a quoted word with plain quotes. */
  text: string;
  isSpaced: boolean;
}

export function wordToken(text: string, isSpaced: boolean): TemplateToken {
  return { kind: 'word', text, isSpaced };
}

export function separatorToken(text: string, isSpaced: boolean): TemplateToken {
  return { kind: 'separator', text, isSpaced };
}

export function valueToken(text: string, isSpaced: boolean): TemplateToken {
  return { kind: 'value', text, isSpaced };
}
