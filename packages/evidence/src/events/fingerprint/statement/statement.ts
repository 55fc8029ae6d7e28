import { cutCodePoints, firstFilledLine } from '../bounded-text.ts';
import { pairStatement } from './pair-statement.ts';
import { readLinePairs, readObjectPairs, unescaped } from './read-pairs.ts';

/** The part of a message in which its statement is searched for. */
const STATEMENT_CODE_POINTS_MAX = 2000;
/** A record inside a record, as containers write what programs wrote. */
const DEPTH_MAX = 3;

/**
 * Returns the statement of a message: the text that its program wrote, on one line. That is its first filled line, with
 * the next one if the first only announces it; for a message that is a record as a whole (JSON, logfmt, a dictionary,
 * klog), the message and the error inside it (docs/contract/grouping.md 2).
 */
export function statementOf(message: string): string {
  const text = cutCodePoints(message, STATEMENT_CODE_POINTS_MAX);
  if (text !== lastText) {
    const lead = leadOf(text);
    lastStatement = recordStatement(text, lead, 0) ?? lead;
    isLastRecord = lastStatement !== lead;
    lastText = text;
  }
  return lastStatement;
}

/** The title, the template and the reader of one event ask for the same statement. */
let lastText = '';
let lastStatement = '';
let isLastRecord = false;

/** Returns true for a message whose statement is in a record, not in its first line. */
export function isRecord(message: string): boolean {
  statementOf(message);
  return isLastRecord;
}

function readStatement(text: string, depth: number): string {
  const lead = leadOf(text);
  return (depth < DEPTH_MAX ? recordStatement(text, lead, depth) : null) ?? lead;
}

/** The first line without what loggers write in front. */
function leadOf(text: string): string {
  const lead = leadingText(text);
  // Both headers begin with a level or a year, and hold the time.
  return MAY_BE_HEADER.test(lead) && HAS_TIME.test(lead)
    ? lead.replace(SYSLOG_HEADER, '').replace(KLOG_HEADER, '').replace(PROCESS_HEADER, '')
    : lead;
}

const MAY_BE_HEADER = /^(?:[A-Z][\d,]|\d\d|<\d|[A-Z][a-z]{2} )/;
const HAS_TIME = /\d\d:\d\d:\d\d/;

function recordStatement(text: string, lead: string, depth: number): string | null {
  return objectStatement(text, depth) ?? lineStatement(lead, depth);
}

/** The time and the host in front of the name of a program, as syslog writes them. */
const SYSLOG_HEADER =
  /^(?:<\d{1,3}>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)) [\w.:-]{1,255} (?=[\w./()@-]{1,128}(?:\[\d{1,10}\])?: )/;

/** The level, the time, the thread and the place of a line of Kubernetes and of glog; the level looks like a code. */
const KLOG_HEADER = /^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{1,9}\s+\d{1,10} [\w./-]{1,200}:\d{1,9}\]\s*/;

/**
 * The text that Spring Boot and Ruby write in front: the time, the level, the process and the thread. The process after
 * the level looks like a code of the error.
 */
const PROCESS_HEADER =
  /^(?:[A-Z], \[)?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,:+Z-]{0,20}(?: #\d{1,10}\])?\s+[A-Z]{4,8}\s+(?:\d{1,10} )?--(?:- (?:\[[^\]]{0,100}\] ){0,3}| [\w:]{0,60}: )/;

/** The first filled line, and what it only announces or opens. */
function leadingText(text: string): string {
  const first = firstFilledLine(text);
  const announced = announcedText(text, first);
  if (announced !== null) return announced;
  const isOpening = OPENS_A_RECORD.test(first);
  if (!isOpening && !first.endsWith(':') && !OF_SQL_SERVER.test(first)) return first;
  const rest = text.slice(text.indexOf(first) + first.length);
  const lead = first.replace(SERVER_OF_MSG, '');
  const next = isOpening ? rest.replace(/\s+/g, ' ').trim() : firstFilledLine(rest);
  return next === '' ? lead : `${lead} ${next}`;
}

/** Returns the text of a failure below a first line that only announces it; null below any other line. */
export function announcedStatement(message: string): string | null {
  const text = cutCodePoints(message, STATEMENT_CODE_POINTS_MAX);
  return announcedText(text, firstFilledLine(text));
}

function announcedText(text: string, first: string): string | null {
  const below = text.slice(text.indexOf(first) + first.length);
  if (below === '') return null;
  if (first.startsWith('terminate called')) {
    const type = OF_CPP.exec(first)?.[1];
    const what = type === undefined ? undefined : WHAT_OF_CPP.exec(firstFilledLine(below))?.[1];
    return what === undefined ? null : `${type}: ${what}`;
  }
  if (first.startsWith('At ') && PLACE_OF_POWERSHELL.test(first)) {
    const rest = below.split('\n').filter((line) => !/^\s*(?:\+.*)?$/.test(line));
    return rest[0]?.trim() ?? null;
  }
  if (first.startsWith('=') && OF_ERLANG.test(first)) return firstFilledLine(below) || null;
  // Crashes of Apple's systems, where the language says more.
  if (OF_MACH.test(first)) return firstFilledLine(below) || null;
  // The reporter of crashes of Google's libraries.
  if (first.startsWith('*** Aborted at ')) return /^\*{3} (SIG[A-Z]{2,8}) /m.exec(below)?.[1] ?? null;
  // PowerShell shows the line of the script between the two.
  if (OF_SCRIPT.test(first)) return toldBelowCode(first, below);
  // Errors of Rust count their causes.
  if (first === 'Error:') return firstFilledLine(below).replace(/^0: (?=\S)/, '') || null;
  return null;
}

/** `Get-Item: /srv/cart.ps1:42`, and below the line of code and the text. */
function toldBelowCode(first: string, below: string): string | null {
  const [heading = '', ...lines] = below.trim().split('\n');
  if (!heading.startsWith('Line |')) return null;
  const said = lines.map((line) => /^\s{1,12}\| {1,2}(?![~\s])(.{1,1000})$/.exec(line)?.[1] ?? '').join(' ');
  return said.trim() === '' ? null : `${first.slice(0, first.indexOf(':'))}: ${said.trim()}`;
}

const OF_MACH = /^Exception \d{1,4}, Code \d{1,20}, Subcode \d{1,20} >$/;
const OF_SCRIPT = /^[A-Za-z][\w-]{0,100}: (?:[A-Za-z]:)?[^:]{1,300}\.psm?1:\d{1,9}$/;
const OF_CPP = /^terminate called after throwing an instance of '([^']{1,200})'$/;
const WHAT_OF_CPP = /^what\(\):\s{1,4}(\S.*)$/;
const PLACE_OF_POWERSHELL = /^At (?:[A-Za-z]:)?[^:]{1,300}:\d{1,9} char:\d{1,9}$/;
const OF_ERLANG = /^=[A-Z ]{3,30} REPORT==== \S/;

/** The line that clients of SQL Server print above each message. */
const OF_SQL_SERVER = /^Msg \d{1,6}, Level \d{1,2}, State \d{1,3}\b/;

/** The name of the server and the line of the batch in that line. */
const SERVER_OF_MSG = /(?<=^Msg \d{1,6}, Level \d{1,2}, State \d{1,3}), Server [^\s,]{1,128}(?=,|$)/;

/** A line that ends with a bracket, or with what PHP prints before one. */
const OPENS_A_RECORD = /(?:[{[(]|\bArray|\bObject)$/;

/** A record behind at most one word, which may be cut off. */
function objectStatement(text: string, depth: number): string | null {
  const at = text.search(/[{[(]/);
  if (at === -1) return null;
  const start = objectStart(text, at);
  if (start === -1) return null;
  const before = text.slice(0, start);
  if (speakingWords(before) > 1) return null;
  const { value: pairs, end } = readObjectPairs(text, start);
  if (speakingWords(text.slice(end)) > 1) return null;
  const said = pairStatement(pairs);
  return said === null ? null : joined(unquoted(before), readStatement(said, depth + 1));
}

/** Returns the start of the first bracket that contains a name. */
function objectStart(text: string, from: number): number {
  for (let at = from; at !== -1 && at < from + 200; at = nextBracket(text, at + 1)) {
    if (HOLDS_A_NAME.test(text.slice(at, at + 80))) return at;
  }
  return -1;
}

function nextBracket(text: string, from: number): number {
  const at = text.slice(from, from + 200).search(/[{[(]/);
  return at === -1 ? -1 : from + at;
}

const HOLDS_A_NAME =
  /^[{[(]\s{0,20}(?:[{[]\s{0,20})?(?:\[[\w:-]{1,60}\]|["'][\w.@$ /-]{1,60}["']|:?[A-Za-z_@][\w.@-]{0,60})\s?(?:=>|[:=](?!=))/;

/** A line of `name=value` with at most one word beside. */
function lineStatement(line: string, depth: number): string | null {
  if (!line.includes('=')) return null;
  const { pairs, outside } = readLinePairs(line);
  if (pairs.length === 0 || speakingWords(outside) > 1) return null;
  const said = pairStatement(pairs);
  if (said === null) return QUOTATION.test(outside) ? unquoted(outside).trim() : null;
  return joined(unquoted(outside), readStatement(said, depth + 1));
}

function joined(before: string, said: string): string {
  const kept = before.replace(/\s+/g, ' ').trim();
  return kept === '' ? said : `${kept} ${said}`;
}

/** A quotation in front of a record is the text that the program wrote (klog). */
function unquoted(text: string): string {
  return text.replace(QUOTATION, (_whole, inside: string) => unescaped(inside));
}

/** With few escapes, so that a text of escaped quotes is not read from each of them. */
const QUOTATION = /"((?!")[^"\\]{0,160}(?:\\.[^"\\]{0,160}){0,12})"/s;

/** Words that say how bad something is, that something failed, or that only join others. */
const SILENT =
  /^(?:trace|debug|info|information|notice|warn|warning|err|error|errors|severe|critical|crit|alert|emerg|emergency|fatal|panic|exception|failure|failed|fail|unhandled|uncaught|unexpected|occurred|caught|thrown|raised|got|erreur|fehler|errore|fejl|fout|virhe|hata|chyba|błąd|hiba|eroare|ошибка|помилка|エラー|错误|错误|오류|log|stderr|stdout|root|main|message|msg|in|on|at|of|an|the|and|with|while|by|for|to|from|was|is|has|been|a)$/i;
/** Quoted text is no separate word, nor is a name that holds a figure. */
const WORD = /"(?:[^"\\]|\\.){0,300}"|[\p{L}\p{M}\p{N}_.:/\\$@-]+/gsu;
const SPEAKING = /^[\p{L}\p{M}]{2,}[.,:;!?]{0,2}$/u;

/** Scripts without blanks between words. */
const SOLID_WORDS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{4}/u;

/** Counts the words of a text, outside of quotations, that distinguish one failure from another; counts to two. */
export function speakingWords(text: string): number {
  let count = 0;
  WORD.lastIndex = 0;
  for (let match = WORD.exec(text); match !== null; match = WORD.exec(text)) {
    const [word] = match;
    if (SPEAKING.test(word) && !SILENT.test(word.replace(/[.,:;!?]{1,8}$/, '')))
      count += SOLID_WORDS.test(word) ? 2 : 1;
    if (count > 1) break;
  }
  return count;
}
