interface ExceptionHeader {
  type: string;
  message: string;
}

/** A name without spaces, a code in brackets as Node.js and .NET write it, and the message. */
const HEADER =
  /^((?:\\?[\p{L}_$])[\p{L}\p{M}\p{N}_$.\\@+`-]*(?:::[\p{L}_][\p{L}\p{M}\p{N}_]*)*)(?: \[[A-Z][A-Z0-9_]*\]| \((?:0x)?[0-9A-Fa-f]{1,8}\)(?=:))?(?::(?:\s(.*))?)?$/su;

/** `** (KeyError) key :price not found`. */
const OF_ELIXIR = /^\*\* \(([A-Z][\w.]{0,200})\) (.*)$/s;

/**
 * Reads `Type: message`. Text that is not of this form gives an empty type and is the message
 * (contract incidents 5.4.6).
 */
export function readHeader(text: string): ExceptionHeader {
  const trimmed = text.trim();
  const raised = trimmed.startsWith('** (') ? OF_ELIXIR.exec(trimmed) : null;
  if (raised?.[1] !== undefined) return { type: raised[1], message: (raised[2] ?? '').trim() };
  const match = HEADER.exec(trimmed);
  if (match?.[1] === undefined) return { type: '', message: trimmed };
  return { type: withoutLeadingBackslash(match[1]), message: (match[2] ?? '').trim() };
}

/** PHP writes a fully qualified class with or without its root separator. */
export function withoutLeadingBackslash(type: string): string {
  return type.startsWith('\\') ? type.slice(1) : type;
}
