import { REDACTED } from './secret-keys.ts';

/**
 * Finds secrets by the form that their issuer gave them, anywhere in a text: the one table of service, Node library,
 * command line and MCP (docs/contract/clients.md 10.1). Linear in the text; applied again it changes nothing.
 */

/**
 * Within a run of the characters of `isTokenUnit`: a beginning that no word has, and as many characters as the shortest that
 * is issued. In this order: Amazon, GitHub, GitLab, Slack, Stripe, Google, npm, PyPI, RubyGems, OpenAI with Anthropic and
 * OpenRouter, Hugging Face, DigitalOcean, Shopify, Square, Docker, Databricks, Linear, Grafana, New Relic, Sentry, Supabase,
 * Mailgun, Atlassian, age; makers whose beginning needs a digit behind it to be no word; tokens that are a UUID; ngrok; beginnings
 * without a mark; what ASP.NET, Laravel, Rails and Fernet seal; and any short name with a long random text behind it.
 */
const TOKEN =
  /(?<![A-Za-z0-9])(?:(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[\w-]{16,}|xox[abcdeprs]-[A-Za-z0-9-]{11,}|xapp-\d-[A-Za-z0-9-]{11,}|[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9]{20,}|AIza[\w-]{30,}|GOCSPX-[\w-]{20,}|npm_[A-Za-z0-9]{20,}|pypi-AgE[\w-]{40,}|rubygems_[0-9a-f]{40,}|sk-(?:proj|ant|svcacct|admin|or)-[\w-]{20,}|sk-[A-Za-z0-9]{40,}|hf_[A-Za-z0-9]{30,}|do[opr]_v1_[0-9a-f]{40,}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|sq0(?:atp|csp|idp)-[\w-]{20,}|dckr_pat_[\w-]{20,}|dapi[0-9a-f]{32}(?![0-9a-z])|lin_api_[A-Za-z0-9]{30,}|glsa_\w{30,}|NRAK-[A-Z0-9]{27}|sntry[su]_[A-Za-z0-9_]{30,}|sbp_[0-9a-f]{40}|key-[0-9a-f]{32}(?![0-9a-z])|ATATT3[\w-]{40,}|AGE-SECRET-KEY-1[0-9A-Z]{50,}|(?:gsk|nfp|ntn|pscale_(?:tkn|pw|oauth)|pnu|shippo_(?:live|test)|sb_secret|tfp|vc[akipr]|lin_oauth|CLOJARS|ph[xs]|sq[apu]|sgp|bkua|r8|FLWSECK(?:_TEST)?|tvly(?:-dev)?|xai|pplx|CFPAT|NRII|pul|rzp_live)[_-](?=[A-Za-z]{0,27}\d)[A-Za-z0-9]{28,}|(?:figd_|glc_eyJ|y0_A|tskey-[a-z]{3,8}-k|xkeysib-|xsmtpsib-|lsv2_(?:pt|sk)_|f(?:m[12]|o1)_|ATCTT3|HRKU-AA|PMAK-|CCIPAT_|APP_USR-|ops_eyJ|AQVN)(?=[A-Za-z_-]{0,23}\d)[\w-]{24,}|(?:sk-lf|pat-[a-z]{2}\d|sdk|mob|ApiKey)-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|re_(?=[A-Za-z]{0,7}\d|\w{9}[A-Za-z]{0,23}\d)[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}|[A-Za-z0-9]{16,80}JQQJ99[A-Za-z0-9]{20,}|(?:ST|TGT|PG?T)-\d{1,9}-(?=[A-Za-z]{0,19}\d)[A-Za-z0-9]{20,}[\w-]*|[0-9a-f]{32}-us\d{1,2}(?![\w-])|[12](?=[a-z\d]{0,26}[A-Z])(?=[A-Z\d]{0,26}[a-z])[A-Za-z0-9]{26}_[A-Za-z0-9]{20,21}(?![\w-])|(?:LTAI(?=[A-Za-z]{0,11}\d)[A-Za-z0-9]{12,20}|AKID(?=[A-Za-z]{0,27}\d)[A-Za-z0-9]{28,36}|cio(?=[A-Za-z]{0,31}\d)[A-Za-z0-9]{32}|dose[0-9a-f]{32})(?![A-Za-z0-9])|(?:AKCp|cmVmdGtuO|ATBB|EAA[A-Z]|cflt|xprv|CfDJ8|gAAAAAB|eyJ[pr][dI][ij][oI][6i])(?=[A-Za-z_-]{0,31}\d)[\w-]{32,}|(?<=[A-Za-z0-9]--)[0-9a-f]{40}(?:[0-9a-f]{24})?(?![\w-])|(?<![_-])(?!sha\d|md5|dpl_|prj_|cs_)[a-z][a-z\d]{1,10}(?:_[a-z]{2,8})?[_-](?=(?:[A-Za-z]{0,15}\d){3})(?=[a-z\d]{0,31}[A-Z])(?=[A-Z\d]{0,31}[a-z])[A-Za-z0-9]{32,}(?![\w-]))/g;
/** Each beginning is an abbreviation in front of a mark, or one of these. */
const MAY_HOLD_TOKEN = /[_-]|^(?:A[IKQST]|CfDJ|EAA|LTAI|cflt|cio|cmVm|dapi|dose|eyJ[pr]|gAAA|xprv)|JQQJ99/;
/** Around a run: SendGrid, Vault, Google, Dropbox, Terraform, PASETO, Telegram, and addresses of Slack, Discord and Teams, whose beginning stays. */
const PLACED =
  /^(?:SG\.[\w-]{16,32}\.[\w-]{32,}|hv[sbr]\.[\w-]{24,}|ya29\.[\w-]{20,}|AQ\.Ab[\w-]{40,}|[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,}|(?:sl(?:\.u)?|atlasv1)\.[\w-]{60,}|(?:local|public)\.(?=[A-Za-z_-]{0,63}\d)[\w-]{64,}|s\.(?=[A-Za-z]{0,23}\d)(?=[a-z\d]{0,23}[A-Z])[A-Za-z0-9]{24}(?![\w-])|\d{8,10}:AA[\w-]{30,}|(hooks\.slack\.com\/(?:services|triggers|workflows)\/|hooks\/\d{15,22}\/|hookb2\/)[\w/@-]{20,})/;
const WORDS: ReadonlySet<string> = new Set([
  'SG',
  'hvs',
  'hvb',
  'hvr',
  'ya29',
  'AQ',
  'sl',
  'atlasv1',
  'local',
  'public',
  's',
]);
/** The beginning of the rest of an address after `hook`. */
const HOOK = /^(?:s\.slack|s\/\d|b2\/)/;
/** No run with a secret is shorter. */
const RUN_CHARS_MIN = 16;
/** Between the beginning of an address and the first long run in it. */
const ADDRESS_CHARS_MAX = 52;
const WORD_CHARS_MAX = 10;
const DISCORD_TIME_CHARS = 6;
const DISCORD_ID_CHARS_MAX = 28;
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
    // The three parts of a Discord token.
    const isThird = end - start > 26 && text.charCodeAt(start - 1 - DISCORD_TIME_CHARS - 1) === DOT;
    const idEnd = start - DISCORD_TIME_CHARS - 2;
    const idStart = isThird ? wordBefore(text, idEnd, isTokenUnit, DISCORD_ID_CHARS_MAX) : idEnd;
    if (idEnd - idStart > RUN_CHARS_MIN) return idStart;
    const from = wordBefore(text, start - 1, isAlphanumeric);
    if (text.startsWith('sl.u.', from - 3)) return from - 3;
    return WORDS.has(text.slice(from, start - 1)) ? from : null;
  }
  // `bot123:AA…` is a part of an address.
  const isToken = before === COLON && end - start > 31 && text.startsWith('AA', start);
  return isToken ? wordBefore(text, start - 1, isDigit) : null;
}

function wordBefore(
  text: string,
  end: number,
  belongs: (unit: number) => boolean,
  charsMax = WORD_CHARS_MAX,
): number {
  let from = end;
  while (from > 0 && end - from < charsMax && belongs(text.charCodeAt(from - 1))) from -= 1;
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
