import { REDACTED } from './secret-keys.ts';

/**
 * Finds secrets by the form that their issuer gave them, anywhere in a text: the one table of service, Node library,
 * command line and MCP (docs/contract/clients.md 10.1). Linear in the text; applied again it changes nothing.
 */

/**
 * Within a run of the characters of `isTokenUnit`: a beginning that no word has, and as many characters as the shortest that
 * is issued. In this order: Amazon, GitHub, GitLab, Slack, Stripe, Google, npm, PyPI, RubyGems, OpenAI with Anthropic and
 * OpenRouter, Hugging Face, DigitalOcean, Shopify, Square, Docker, Databricks, Linear, Grafana, New Relic, Sentry, Supabase,
 * Mailgun, Atlassian, age.
 */
const TOKEN =
  /(?<![A-Za-z0-9])(?:(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[\w-]{16,}|xox[abcdeprs]-[A-Za-z0-9-]{11,}|xapp-\d-[A-Za-z0-9-]{11,}|[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9]{20,}|AIza[\w-]{30,}|GOCSPX-[\w-]{20,}|npm_[A-Za-z0-9]{20,}|pypi-AgE[\w-]{40,}|rubygems_[0-9a-f]{40,}|sk-(?:proj|ant|svcacct|admin|or)-[\w-]{20,}|sk-[A-Za-z0-9]{40,}|hf_[A-Za-z0-9]{30,}|do[opr]_v1_[0-9a-f]{40,}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|sq0(?:atp|csp|idp)-[\w-]{20,}|dckr_pat_[\w-]{20,}|dapi[0-9a-f]{32}(?![0-9a-z])|lin_api_[A-Za-z0-9]{30,}|glsa_\w{30,}|NRAK-[A-Z0-9]{27}|sntry[su]_[A-Za-z0-9_]{30,}|sbp_[0-9a-f]{40}|key-[0-9a-f]{32}(?![0-9a-z])|ATATT3[\w-]{40,}|AGE-SECRET-KEY-1[0-9A-Z]{50,})/g;
/** Each beginning is an abbreviation in front of a mark, or one of four. */
const MAY_HOLD_TOKEN = /[_-]|^(?:A[KSIT]|dapi)/;
/** Around a run: SendGrid, Vault, Google, Telegram, and addresses of Slack, Discord and Teams, whose beginning stays. */
const PLACED =
  /^(?:SG\.[\w-]{16,32}\.[\w-]{32,}|hv[sbr]\.[\w-]{24,}|ya29\.[\w-]{20,}|\d{8,10}:AA[\w-]{30,}|(hooks\.slack\.com\/(?:services|triggers|workflows)\/|hooks\/\d{15,22}\/|hookb2\/)[\w/@-]{20,})/;
const WORDS: ReadonlySet<string> = new Set(['SG', 'hvs', 'hvb', 'hvr', 'ya29']);
/** The beginning of the rest of an address after `hook`. */
const HOOK = /^(?:s\.slack|s\/\d|b2\/)/;
/** No run with a secret is shorter. */
const RUN_CHARS_MIN = 16;
/** Between the beginning of an address and the first long run in it. */
const ADDRESS_CHARS_MAX = 52;
const WORD_CHARS_MAX = 10;
/** The number of characters that are checked after a run. */
const REST_CHARS_MAX = 160;

/** The id of a key of Amazon, and the secret that belongs to it, which nothing but the id beside it gives away. */
const AMAZON_ID = /A(?:KI|SI)A[A-Z0-9]{16}/;
const AMAZON_SECRET =
  /(?<![\w/+=-])(?=[a-zA-Z/+]{0,39}\d)(?=[A-Z\d/+]{0,39}[a-z])(?=[a-z\d/+]{0,39}[A-Z])[A-Za-z0-9/+]{40}(?![\w/+=-])/g;
const BESIDE_CHARS_MAX = 128;

/** Replaces the secrets of known makers in a text. @param onFound called for each */
export function redactTokens(text: string, mark = REDACTED, onFound?: () => void): string {
  return redactRuns(redactAmazonSecrets(text, mark, onFound), mark, onFound);
}

function redactAmazonSecrets(text: string, mark: string, onFound?: () => void): string {
  if (!/AKIA|ASIA/.test(text) || !AMAZON_ID.test(text)) return text;
  return text.replace(AMAZON_SECRET, (run, at: number) => {
    const beside = text.slice(Math.max(0, at - BESIDE_CHARS_MAX), at + run.length + BESIDE_CHARS_MAX);
    if (!AMAZON_ID.test(beside)) return run;
    onFound?.();
    return mark;
  });
}

function redactRuns(text: string, mark: string, onFound?: () => void): string {
  let result = '';
  let copied = 0;
  const replaceOne = () => {
    onFound?.();
    return mark;
  };
  // A run covers one of every so many characters, and nothing else is looked at.
  for (let at = RUN_CHARS_MIN - 1; at < text.length; at += RUN_CHARS_MIN) {
    if (!isTokenUnit(text.charCodeAt(at))) continue;
    let start = at;
    while (start > copied && isTokenUnit(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end < text.length && isTokenUnit(text.charCodeAt(end))) end += 1;
    at = end;
    if (end - start < RUN_CHARS_MIN) continue;
    const from = beginOfPlaced(text, start, end);
    const placed =
      from === null || from < copied ? null : PLACED.exec(text.slice(from, end + REST_CHARS_MAX));
    if (from !== null && placed !== null) {
      result += text.slice(copied, from) + (placed[1] ?? '') + replaceOne();
      at = from + placed[0].length;
      while (isTokenUnit(text.charCodeAt(at))) at += 1;
      copied = at;
      continue;
    }
    const run = text.slice(start, end);
    if (!MAY_HOLD_TOKEN.test(run)) continue;
    const shown = run.replace(TOKEN, replaceOne);
    if (shown === run) continue;
    result += text.slice(copied, start) + shown;
    copied = end;
  }
  return result + text.slice(copied);
}

/** Returns the beginning of the text before a run that may make a secret of it; null if there is none. */
function beginOfPlaced(text: string, start: number, end: number): number | null {
  const before = text.charCodeAt(start - 1);
  if (before === SLASH) {
    const least = Math.max(0, start - ADDRESS_CHARS_MAX);
    const address = text.slice(least, start);
    const hook = address.lastIndexOf('hook');
    return hook !== -1 && HOOK.test(address.slice(hook + 4, hook + 12)) ? least + hook : null;
  }
  if (before === DOT) {
    const from = wordBefore(text, start - 1, isAlphanumeric);
    return WORDS.has(text.slice(from, start - 1)) ? from : null;
  }
  // `bot123:AA…` is a part of an address.
  const isToken = before === COLON && end - start > 31 && text.startsWith('AA', start);
  return isToken ? wordBefore(text, start - 1, isDigit) : null;
}

function wordBefore(text: string, end: number, belongs: (unit: number) => boolean): number {
  let from = end;
  while (from > 0 && end - from < WORD_CHARS_MAX && belongs(text.charCodeAt(from - 1))) from -= 1;
  return from;
}

const [DOT, COLON, SLASH] = [46, 58, 47];

function isTokenUnit(unit: number): boolean {
  return isAlphanumeric(unit) || unit === 45 || unit === 95;
}

function isAlphanumeric(unit: number): boolean {
  return isDigit(unit) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122);
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}
