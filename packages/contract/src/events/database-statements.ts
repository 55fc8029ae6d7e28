import { REDACTED } from './secret-keys.ts';

/**
 * Values within statements that messages quote: SQL as Knex, MikroORM and Laravel write it, with its parameters in their
 * places; arguments as Prisma prints them; documents as MongoDB prints them (docs/contract/clients.md 10.1). Linear in
 * the text.
 */

/** A statement at the beginning of a message, or behind what says that one follows. */
const STATEMENT =
  /(?:^|: |\n|\(|\[)(?:LINE \d{1,9}: |(?:insert(?: ignore)? into|delete from|replace into|merge into|call|select|with(?: recursive)?|update) (?=["'`\w*[.$(@]))/gi;
/** The parts of a statement that sentences with the same first words lack. */
const IS_STATEMENT =
  /LINE \d|(?:insert|delete|replace|merge|call) |select [\s\S]{1,2000}?\bfrom\b|update \S{1,128}(?: (?:as )?\S{1,64})? set\b|with (?:recursive )?\S{1,128} (?:\([^()]{1,256}\) )?as\b/i;
/** Behind a statement: what Knex writes between it and the message, a stack, the next paragraph. */
const BEHIND = / - (?=[A-Za-z_:\s])|\n {4}at |\n#\d|\n\n|\n(?=params: |\[parameters)|$/g;
/** A quoted SQL string, or a number in the position of a value. */
const LITERAL =
  /'(?:[^'\\]|'')*(?:'|$)|(?<=(?:[=<>(,]|\bin|\bbetween|\band|\blike) {0,2})-?\d[\d.]*(?![\w.])/gi;
/** Laravel writes parameters without quotes. */
const LARAVEL = /\((?:Connection: [^()\n]{1,200}, )?SQL: /g;
const END_IN_LARAVEL = /\n#\d|\n\n|\n {4}at |$/;
/** Monolog writes the context of a line, and the place of an error, behind the statement. */
const OF_MONOLOG = '[object] (';
const END_IN_MONOLOG = /\) (?=\{"|at (?:\/|[A-Za-z]:)\S{1,300}:\d)|\n#\d|\n\n|\n {4}at |$/;
const PARAMETERS = / (?:values|where|set) \(?/i;
const STATEMENT_CHARS_MAX = 4096;

/** Hides the values of statements. */
export function hideStatements(text: string): string {
  return hideQuoted(text.includes('SQL: ') ? hideUnquoted(text) : text);
}

function hideQuoted(text: string): string {
  let result = '';
  let copied = 0;
  STATEMENT.lastIndex = 0;
  const isOfMonolog = text.includes(OF_MONOLOG);
  for (let found = STATEMENT.exec(text); found; found = STATEMENT.exec(text)) {
    const part = text.slice(found.index, found.index + STATEMENT_CHARS_MAX);
    const end =
      found.index + endOfStatement(part, /LINE \d/.test(found[0]), isOfMonolog ? END_IN_MONOLOG : BEHIND);
    const statement = text.slice(found.index, end);
    STATEMENT.lastIndex = Math.max(end, STATEMENT.lastIndex);
    if (!IS_STATEMENT.test(statement)) continue;
    result += text.slice(copied, found.index) + withoutLiterals(statement);
    copied = end;
  }
  return result + text.slice(copied);
}

/**
 * Returns the end of a statement. Quoted texts are skipped, because a user's value can contain what looks like the end.
 */
function endOfStatement(part: string, isLine: boolean, behind: RegExp): number {
  if (isLine) {
    const end = part.indexOf('\n', 1);
    return end === -1 ? part.length : end;
  }
  // A mark that is not closed quotes nothing; it is matched to the end all the same, so that each character is read once.
  const bare = part.replace(/'(?:[^'\\]|''|\\[\s\S]?)*('|$)/g, (quoted, close: string) =>
    close === '' ? quoted : '_'.repeat(quoted.length),
  );
  behind.lastIndex = 1;
  return behind.exec(bare)?.index ?? part.length;
}

function withoutLiterals(statement: string): string {
  const escaped = statement.indexOf('\\');
  const quote = escaped === -1 ? -1 : statement.lastIndexOf("'", escaped);
  // A mark of escape means something else to each database: what follows is hidden whole.
  if (quote !== -1) return `${withoutLiterals(statement.slice(0, quote))}'${REDACTED}'`;
  return statement.replace(LITERAL, (literal) =>
    literal.startsWith("'") ? (literal === "''" ? literal : `'${REDACTED}'`) : REDACTED,
  );
}

function hideUnquoted(text: string): string {
  let result = '';
  let copied = 0;
  LARAVEL.lastIndex = 0;
  const isOfMonolog = text.includes(OF_MONOLOG);
  for (let found = LARAVEL.exec(text); found; found = LARAVEL.exec(text)) {
    const start = LARAVEL.lastIndex;
    const part = text.slice(start, start + STATEMENT_CHARS_MAX);
    const parameters = PARAMETERS.exec(part);
    const line = part.search(isOfMonolog ? END_IN_MONOLOG : END_IN_LARAVEL);
    const end = part.lastIndexOf(')', line);
    LARAVEL.lastIndex = start + part.length;
    if (parameters === null || end <= parameters.index) continue;
    result += text.slice(copied, start + parameters.index + parameters[0].length) + REDACTED;
    copied = start + end;
    LARAVEL.lastIndex = copied;
  }
  return result + text.slice(copied);
}

/** `Invalid `prisma.user.create()` invocation in …`, and the arguments below, up to the sentence that says what is wrong. */
const INVOCATION = /\bInvalid `[^`\n]{1,200}` invocation[\s\S]{1,8000}?(?=\n\n[A-Z][a-z]|\n {4}at |$)/g;
const ARGUMENT =
  /"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|'(?:[^'\\\n]|\\.)*(?:'|\\?(?=\n|$))|(?<=[ [])-?\d[\d.eE+]*n?(?=[,\]\n]|$)/g;
/** A document of MongoDB: flat, or with few levels. */
const DOCUMENT = /(?:dup key: |\bkeyValue\\{0,2}['"]?: ?)\{/g;
const MEMBER =
  /(?:\\*["'](?:[^"'\\]|\\+[^"'\\]|\\(?:\\\\)*["'](?!\s{0,4}:))*\\*["'](?=\s{0,4}:)|[\w.$-]{0,128})\s{0,4}:\s{0,4}(?:(\\*")(?:[^"\\]|\\+[^"\\]|\\(?:\\\\)*"(?! [,}]|,|}))*\\*"|(')(?:[^'\\]|\\.)*'|[A-Za-z]{1,20}\([^()]{0,128}\)|[^"',{}]{1,256})\s{0,4}/y;

/** Hides the values of arguments and documents. */
export function hideArguments(text: string): string {
  let result = text;
  if (result.includes('invocation')) {
    result = result.replace(INVOCATION, (whole) =>
      whole.replace(ARGUMENT, (value) => (value.startsWith('"') ? `"${REDACTED}"` : REDACTED)),
    );
  }
  return /dup key: \{|keyValue/.test(result) ? hideMembers(result) : result;
}

function hideMembers(text: string): string {
  let result = '';
  let copied = 0;
  DOCUMENT.lastIndex = 0;
  for (let found = DOCUMENT.exec(text); found; found = DOCUMENT.exec(text)) {
    let at = DOCUMENT.lastIndex;
    const names: string[] = [];
    while (text.charAt(at) === ' ' || text.charAt(at) === ',') at += 1;
    for (;;) {
      MEMBER.lastIndex = at;
      const member = MEMBER.exec(text)?.[0];
      if (member === undefined) break;
      const name = member.slice(0, member.search(/:/)).trim();
      names.push(`${name}: ${/:\s{0,4}null\s{0,4}$/.test(member) ? 'null' : REDACTED}`);
      at += member.length;
      if (text.charAt(at) !== ',') break;
      while (text.charAt(at) === ' ' || text.charAt(at) === ',') at += 1;
    }
    // Text of an unknown form is hidden up to the last `}` of its line; without a `}`, to the end of the line.
    const line = text.indexOf('\n', at);
    const rest = text.slice(at, line === -1 ? text.length : line);
    if (!rest.startsWith('}')) {
      const close = rest.lastIndexOf('}');
      at += close === -1 ? rest.length : close;
      if (rest.slice(0, Math.max(close, 0)).trim() !== '' || names.length === 0) names.push(REDACTED);
    }
    result += `${text.slice(copied, DOCUMENT.lastIndex)} ${names.join(', ')} `;
    copied = at;
    DOCUMENT.lastIndex = at;
  }
  return result + text.slice(copied);
}
