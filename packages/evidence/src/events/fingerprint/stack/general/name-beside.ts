/** Words around names and places, in the languages that runtimes speak most. */
const CONNECTING =
  /^(?:at|in|from|of|by|on|line|file|called|call|caller|stack|primitive|operation|frame|function|func|method|field|local|global|upvalue|raised|re-raised|thrown|the|module|script|source|characters|row|created|defined|near|inside|bei|dans|en|em|w|v|в|à|konum|block|error|warning|info|trace|note|cell)[:.,]?$/i;
const ORNAMENT = /^[\s#*|>│├└╰╭─═•→·.,:;\d()[\]{}<=-]+/u;
const ARGUMENTS = /\([^()]{0,300}\)/g;
const NAME_WITH_ARGUMENTS = /([^\s,"'`(]{1,200})\(\)[^(]*$/;
const NAME = /^[\p{L}_$<~@%-][\p{L}\p{N}_$.:#<>~/!?*@^%+-]{0,300}$/u;

/** The function that a line names in front of a place. */
export function nameBefore(before: string): string | null {
  const plain = withoutArguments(before).replace(ORNAMENT, '');
  if (plain === '') return null;
  const withArguments = plain.includes('()') ? NAME_WITH_ARGUMENTS.exec(plain)?.[1] : undefined;
  // The mark of Chromium in front of messages of pages: `[1:0501/123456.789:ERROR:CONSOLE(42)]`.
  if (withArguments?.endsWith(':CONSOLE')) return null;
  if (withArguments !== undefined && NAME.test(bareName(withArguments))) {
    return lastPart(bareName(withArguments));
  }
  const words = plain.split(/[\s,"'`]+/);
  let last: string | null = null;
  for (let index = words.length - 1; index >= 0; index--) {
    const name = wordName(words[index] ?? '');
    if (name === null) continue;
    if (/[.:#/>]./.test(name)) return lastPart(name);
    last ??= name;
  }
  return last === null || last === '--' ? null : lastPart(last);
}

/** Arguments may have types that are functions: `execute(Error* (*)(void*), void*)`. */
function withoutArguments(text: string): string {
  if (!text.includes('(')) return text;
  let plain = text;
  for (let removed = 0; removed < NESTED_MAX && NESTED.test(plain); removed++) {
    plain = plain.replace(NESTED, '$1');
  }
  return plain.replace(ARGUMENTS, '()');
}

const NESTED_MAX = 8;
const NESTED = /(\([^()]{0,300})\([^()]{0,300}\)/;

function wordName(word: string): string | null {
  // A word with a colon labels the line: a program, a level.
  if (word === '' || (word.endsWith(':') && /[^:]:$/.test(word) && !/\w[.#]\w/.test(word))) return null;
  const name = bareName(word);
  return NAME.test(name) && !CONNECTING.test(name) && !/[\\/]/.test(name) ? name : null;
}

const LABELLED =
  /\b(?:in|by|function|method|func|proc|procedure|handler|call)\b[:\s]{1,3}(?:(?:function|method|field|local|global|upvalue|proc|the)\s{1,2}){0,2}[<'"`]?([\p{L}_$][\p{L}\p{N}_$.:#/!?-]{0,200})/iu;
/** The name with its arguments, or all that is left of the line. */
const CALLED_NAME = /([\p{L}_$<][\p{L}\p{N}_$.:#/<>!?-]{0,200})\(/u;
const ONLY_NAME = /^[\s:,;)\]–—-]{0,40}[('"`[]?([\p{L}_$<][\p{L}\p{N}_$.:#/<>!?-]{0,200})[)'"`\]│\s]*$/u;

/** The function that a line names behind a place. */
export function nameBehind(after: string): string | null {
  const labelled = LABELLED.exec(after)?.[1];
  const called = after.includes('(') ? CALLED_NAME.exec(after)?.[1] : undefined;
  const written = labelled ?? called ?? ONLY_NAME.exec(after.replace(/\+0x[0-9a-fA-F]{1,16}\s*$/, ''))?.[1];
  if (written === undefined) return null;
  const name = bareName(written);
  return name === '' || CONNECTING.test(name) ? null : lastPart(name);
}

const BRACKETED = /^[([{]|[()[\]{},;:=@>]$/;

function bareName(word: string): string {
  if (!BRACKETED.test(word)) return word;
  return word.replace(/^[([{]+/, '').replace(/(?:[()[\]{},;:=@]|->){1,20}$/, '');
}

/** The method of `Shop.Cart.total` and of `shop::Cart::total`. */
function lastPart(name: string): string {
  if (name.startsWith('<')) return name;
  const parts = name.split(/\.|::?|#|->|\//).filter((part) => part !== '' && !/^\d+$/.test(part));
  return parts.length < 3 ? name : parts.slice(-2).join('.');
}
