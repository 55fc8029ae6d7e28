import { hideArguments, hideStatements } from './database-statements.ts';
import { isSecretKey, REDACTED } from './secret-keys.ts';

/**
 * Values that databases, their clients and validators of entered data put into messages: what was entered, where the form of the message is known
 * (docs/contract/clients.md 10.1). Names of keys, constraints, columns and types stay. The one table of service and
 * Node library. Linear in the text; applied again it changes nothing.
 */

interface Form {
  /** The text before the value. */
  begin: RegExp;
  /** The texts after the value; the first one found ends it. */
  ends: readonly string[];
  /** The value's last character if no end is found, the last one before a border. Undefined: the line's end. */
  close?: string;
  /** True if nothing is hidden unless one of the ends is found, because the beginning is not specific enough. */
  needsEnd?: boolean;
  isKept?: (value: string) => boolean;
}

/** A quoted value behind which a message ends, or the text that holds it. */
const QUOTED = ['"\n', `"'`, '"`', '\\"', '"\\n', '" at character'];
/** Words of the language, of which a syntax error names the one it met: no value of a user. */
const KEYWORD =
  /^(?:\W{1,8}|\$\d{1,5}|select|insert|into|update|delete|from|where|and|or|not|null|is|in|set|values|order|group|by|having|limit|offset|join|left|right|inner|outer|on|as|with|returning|end|user|table|create|alter|drop|case|when|then|else|union|all|distinct|desc|asc|if|exists|default)$/i;

function isWordOfStatement(value: string): boolean {
  return KEYWORD.test(value) || (/^[a-z_]+$/.test(value) && isSecretKey(value));
}

const FORMS: readonly Form[] = [
  // MySQL and MariaDB
  { begin: /\bDuplicate entry \\?'/g, ends: ["' for key ", "\\' for key "], close: "'" },
  { begin: /[Ii]ncorrect [\w()]{1,24} value: \\?'/g, ends: ["' for ", "\\' for "], close: "'" },
  { begin: /\bto use near \\?'/g, ends: ["' at line ", "\\' at line "], close: "'" },
  { begin: /\bcharacter string: '/g, ends: [], close: "'" },
  // PostgreSQL, in any language
  {
    begin: /(?:Key |[»«„“"] ?)\((?:[^()\n]|\([^()\n]{0,64}\)){1,256}\)=\(/g,
    ends: [
      ') already exists',
      ') is not present in',
      ') is still referenced',
      ') is referenced',
      ') conflicts with',
    ],
    close: ')',
  },
  { begin: /\b[Ff]ailing row contains \((?![\w, ]{1,256}\) = \()/g, ends: [], close: ')' },
  { begin: /\b[Ff]ailing row contains \([\w, ]{1,256}\) = \(/g, ends: [], close: ')' },
  {
    begin:
      /(?:invalid input (?:syntax for type|value for enum) [^:\n]{1,80}|malformed [a-z]{1,16} literal|(?:date\/time field value|time zone displacement) out of range): \\*"/g,
    ends: QUOTED,
    close: '"',
  },
  {
    begin: /\bvalue \\*"/g,
    ends: ['" is out of range for type', '\\" is out of range for type'],
    needsEnd: true,
  },
  { begin: /\bToken "/g, ends: ['" is invalid'], needsEnd: true },
  { begin: /\bJSON data, line \d{1,9}: /g, ends: [] },
  { begin: /\bat or near \\*"/g, ends: QUOTED, close: '"', isKept: isWordOfStatement },
  { begin: /\b[Pp]arameters: (?=\$\d{1,5} = )/g, ends: [] },
  // SQLite
  { begin: /\bnear "/g, ends: ['": syntax error'], needsEnd: true, isKept: isWordOfStatement },
  { begin: /\bunrecognized token: "/g, ends: QUOTED, close: '"' },
  // SQL Server, Oracle
  { begin: /\bduplicate key value is \(/g, ends: [').'], close: ')' },
  {
    begin: /\bwhen converting the [a-z]{1,20} value '/g,
    ends: ["' to data type", "' overflowed", "' to a column"],
    close: "'",
  },
  { begin: /\bTruncated value: '/g, ends: [], close: "'" },
  { begin: /\brow with column values \(/g, ends: [') already exists'], close: ')' },
  // H2, Snowflake, BigQuery, Cassandra, ClickHouse
  { begin: /\bVALUES \( ?\/\* \d{1,9} \*\/ /g, ends: [' )"', ')"'], close: ')' },
  { begin: /\bData conversion error converting "/g, ends: ['"; SQL', '" ['], close: '"' },
  {
    begin: /\b(?:Numeric|Boolean|Timestamp|Date|Time|UUID|Geo) value '/g,
    ends: ["' is not recognized"],
    needsEnd: true,
  },
  { begin: /\bCould not cast literal \\*"/g, ends: ['" to type', '\\" to type'], needsEnd: true },
  { begin: /\bInvalid [A-Z]{1,16} constant \(/g, ends: [') for "', ") for '", ') for \\"'], needsEnd: true },
  { begin: /\bCannot parse input: expected [^\n]{1,80} before: \\?'/g, ends: ["': (", "\\': ("], close: "'" },
  // Mongoose
  {
    begin: /\bfailed for value ["']?/g,
    ends: ['" (type ', "' (type ", ' (type ', '" at path ', "' at path ", ' at path '],
    needsEnd: true,
  },
  { begin: /\bPath `[^`\n]{1,128}` \(`?/g, ends: ['`) is ', ') is '], needsEnd: true },
  { begin: /\bPath `[^`\n]{1,128}` is invalid \(/g, ends: [').', '),'], close: ')' },
  { begin: /\bValidator failed for path `[^`\n]{1,128}` with value `/g, ends: ['`,', '`\n'], close: '`' },
  {
    begin: /: `(?=[^`]{0,512}` is not a valid enum value)/g,
    ends: ['` is not a valid enum value'],
    needsEnd: true,
  },
  // Prisma
  { begin: /\bfound `/g, ends: ['` at '], needsEnd: true },
  // Redis
  { begin: /\bwith args beginning with: /g, ends: [] },
  // Elasticsearch, OpenSearch, and Java
  { begin: /\bPreview of field's value: '/g, ends: [], close: "'" },
  { begin: /\bFor input string: \\*"/g, ends: QUOTED, close: '"' },
  { begin: /\bfailed to parse (?:date )?field \[/g, ends: ['] with format'], needsEnd: true },
  { begin: /\bCannot parse '/g, ends: ["': "], needsEnd: true },
  { begin: /\bFailed to parse query \[/g, ends: [], close: ']' },
  { begin: /\[(?=[^[\]\n]{1,512}\]: version conflict)/g, ends: [']: version conflict'] },
  // DynamoDB and what else speaks as it does
  { begin: /\bValue '/g, ends: ["' at '"], needsEnd: true },
  { begin: /\bconverted to a numeric value: /g, ends: [] },
  // Validators repeat entered data: pydantic, Spring, Joi, Jackson, Json.NET
  {
    begin: /\binput_value=/g,
    ends: [', input_type='],
    needsEnd: true,
    isKept: (value) => /^(?:None|True|False|\[\]|\{\}|''|"")$/.test(value),
  },
  { begin: /\brejected value \[/g, ends: ['];', ']\n'], close: ']', isKept: (value) => value === 'null' },
  { begin: /" with value "/g, ends: ['" fails ', '" matches '], needsEnd: true },
  { begin: /\bfrom (?:String|Number|Floating-point) (?:value )?[("]/g, ends: ['": ', '); '], needsEnd: true },
  {
    begin: /\bError converting value \\*"?/g,
    ends: ['" to type', '\\" to type', ' to type'],
    needsEnd: true,
  },
  // Texts before a list of parameters: Drizzle, TypeORM, SQLAlchemy
  { begin: /\bFailed query: [^\n]{1,2000}\nparams: /g, ends: ['\n    at '], close: '' },
  { begin: / -- PARAMETERS: /g, ends: [] },
  // Hibernate, MyBatis, Entity Framework, Prisma
  {
    begin: /\bbinding parameter [[(]\d{1,5}(?:\] as \[|:)\w{1,24}[\])] (?:-|<-) \[/g,
    ends: [']\n'],
    close: ']',
    isKept: (value) => value === 'null',
  },
  { begin: /==> {1,2}Parameters: /g, ends: [] },
  { begin: /\[Parameters=\[(?!\[REDACTED)/g, ends: ['], CommandType'], close: ']' },
  {
    begin: /\$\d{1,5}\)?["'`]?,? {1,4}(?:params|parameters|bindings)["']?: ?\[(?!\[REDACTED)/g,
    ends: [']'],
    close: ']',
  },
  { begin: /\n\[parameters: /g, ends: [']\n'], close: ']' },
];

/** One of the marks that surround a value. Most texts of an event lack it, or are one word. */
const MAY_HOLD_VALUE = /['"`:([]/;
/** Words that each form has, and most other texts have not. */
const MAY_BE =
  /i(?:nsert |nvalid input|nvocation|nput string)|d(?:elete from|up(?: key|licate key value))|re(?:place into)|merge into|call |select |with |update |input_value=|rejected value|with value "|from (?:String|Number|Floating)|converting value|INSERT |DELETE FROM|REPLACE INTO|MERGE INTO|CALL |SELECT |WITH |UPDATE |LINE \d|Dup|keyValue|[vV]alue(?: |:)|\)=\(|row contains|character string: |literal: |out of range: |Token "|JSON data|near \\*["']|unrecognized token|Path `|parse (?:date |query|field|')|parse input|params: |arameters: \$|PARAMETERS|VALUES \(|binding p|Parameters[:=]|bindings[:"']|conversion error|cast literal|constant \(|\[parameters|found `|conflict/;

/** Replaces the values in messages of databases and their clients. */
export function redactDatabaseTexts(text: string): string {
  if (!mayHoldValue(text)) return text;
  let result = hideArguments(hideStatements(text));
  for (const form of FORMS) result = hide(result, form);
  return result;
}

/** Lines of a stack are most of an event, and say nothing of a database. */
function mayHoldValue(text: string): boolean {
  if (!(text.includes(' ') && MAY_HOLD_VALUE.test(text))) return false;
  let begin = 0;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n    at ', from);
    if (end === -1) return MAY_BE.test(text.slice(begin));
    if (end > begin && MAY_BE.test(text.slice(begin, end))) return true;
    const line = text.indexOf('\n', end + 8);
    if (line === -1) return false;
    begin = line;
    from = line;
  }
  return false;
}

/** Texts at which a message certainly ends, and its stack or other details begin. */
const BORDERS = [
  '\n    at ',
  '\n\tat ',
  '\n  File "',
  '\n\n',
  '\nDETAIL:',
  '\nHINT:',
  '\nCONTEXT:',
  '\nLINE ',
  '\n[SQL',
];

function hide(text: string, { begin, ends, close, needsEnd, isKept }: Form): string {
  begin.lastIndex = 0;
  let found = begin.exec(text);
  if (found === null) return text;
  const firstEnd = firstOf(text, ends);
  const firstBorder = firstOf(text, BORDERS);
  const firstLine = firstOf(text, ['\n']);
  let result = '';
  let copied = 0;
  for (; found; found = begin.exec(text)) {
    const start = begin.lastIndex;
    const border = firstBorder(start);
    let end = firstEnd(start);
    if (end > border || end === text.length) {
      if (needsEnd) continue;
      const last = close === undefined || close === '' ? -1 : text.slice(start, border).lastIndexOf(close);
      end = last === -1 ? (close === undefined ? firstLine(start) : border) : start + last;
    }
    const value = text.slice(start, end);
    begin.lastIndex = end;
    if (value === '' || isKept?.(value)) continue;
    result += text.slice(copied, start) + REDACTED;
    copied = end;
  }
  return result + text.slice(copied);
}

/**
 * Returns a function that finds the first of some texts from a position on. If the positions ascend, it searches each
 * text once.
 */
function firstOf(text: string, searched: readonly string[]): (from: number) => number {
  const places = searched.map(() => -1);
  return (from) => {
    let first = text.length;
    searched.forEach((each, i) => {
      let place = places[i] ?? -1;
      if (place < from) {
        const at = text.indexOf(each, from);
        place = at === -1 ? text.length : at;
        places[i] = place;
      }
      if (place < first) first = place;
    });
    return first;
  };
}
