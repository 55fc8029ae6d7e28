import type { Device } from './event.ts';

/** The facts of a device in a user agent; each part is null, or `unknown`, if it is missing. */
type UserAgentFacts = Pick<Device, 'browser' | 'os' | 'deviceType'>;

/** Agents are some hundred characters long; the rest is not read. */
const AGENT_CHARS_MAX = 1024;
const VERSION_CHARS_MAX = 40;

const NOTHING: UserAgentFacts = { browser: null, os: null, deviceType: 'unknown' };

/**
 * The browsers by the token that identifies them, the first one counts: most also name those before them, so the
 * particular ones come first and Chrome and Safari last.
 */
const BROWSERS: readonly (readonly [token: string, name: string])[] = [
  ['Edg/', 'Edge'],
  ['EdgA/', 'Edge'],
  ['EdgiOS/', 'Edge'],
  ['Edge/', 'Edge'],
  ['OPR/', 'Opera'],
  ['OPT/', 'Opera'],
  ['OPiOS/', 'Opera'],
  ['Opera Mini/', 'Opera Mini'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['YaBrowser/', 'Yandex Browser'],
  ['Vivaldi/', 'Vivaldi'],
  ['UCBrowser/', 'UC Browser'],
  ['DuckDuckGo/', 'DuckDuckGo'],
  ['Ddg/', 'DuckDuckGo'],
  ['Whale/', 'Whale'],
  ['HuaweiBrowser/', 'Huawei Browser'],
  ['MiuiBrowser/', 'MIUI Browser'],
  ['QQBrowser/', 'QQ Browser'],
  ['Silk/', 'Silk'],
  ['Electron/', 'Electron'],
  ['Instagram ', 'Instagram'],
  ['FBAV/', 'Facebook'],
  ['GSA/', 'Google App'],
  ['HeadlessChrome/', 'Headless Chrome'],
  ['FxiOS/', 'Firefox'],
  ['Firefox/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Chromium/', 'Chromium'],
  ['MSIE ', 'Internet Explorer'],
];

/** Windows names its kernel; 10.0 is Windows 10 and 11 alike. */
const WINDOWS: Readonly<Record<string, string>> = {
  '10.0': '10',
  '6.3': '8.1',
  '6.2': '8',
  '6.1': '7',
  '6.0': 'Vista',
  '5.2': 'XP',
  '5.1': 'XP',
};

/** The systems by the token that identifies them, the first one counts. */
const SYSTEMS: readonly (readonly [token: string, name: string])[] = [
  ['Windows Phone ', 'Windows Phone'],
  ['iPhone OS ', 'iOS'],
  ['CPU OS ', 'iOS'],
  ['HarmonyOS', 'HarmonyOS'],
  ['OpenHarmony', 'HarmonyOS'],
  ['KAIOS/', 'KaiOS'],
  ['Tizen ', 'Tizen'],
  ['Web0S', 'webOS'],
  ['Android', 'Android'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
];

/** Screens that are none of a desk, a lap or a hand. */
const OTHER_SCREENS = ['SMART-TV', 'SmartTV', 'GoogleTV', 'Android TV', 'BRAVIA', 'AFT', 'CrKey', 'Web0S'];
const TABLETS = ['iPad', 'Tablet', 'Kindle', 'PlayBook', 'Silk/'];
const MOBILES = ['Mobile', 'iPhone', 'iPod', 'Windows Phone', 'Opera Mini', 'KAIOS'];
const DESKTOPS = ['Windows NT', 'Macintosh', 'X11', 'CrOS', 'Linux'];

/** Returns the browser, operating system and kind of device of a user agent; a bot is its own browser on no device. */
export function readUserAgent(userAgent: string): UserAgentFacts {
  const agent = userAgent.slice(0, AGENT_CHARS_MAX);
  if (agent.trim() === '') return NOTHING;
  const bot = botOf(agent);
  return {
    browser: bot ?? browserOf(agent),
    os: systemOf(agent),
    deviceType: bot === null ? deviceTypeOf(agent) : 'unknown',
  };
}

function browserOf(agent: string): Device['browser'] {
  const known = BROWSERS.find(([token]) => agent.includes(token));
  if (known !== undefined) {
    const [token, name] = known;
    return { name: isWebView(agent, name) ? 'Android WebView' : name, version: versionAfter(agent, token) };
  }
  if (agent.includes('Trident/')) {
    return { name: 'Internet Explorer', version: versionAfter(agent, 'rv:') };
  }
  if (!agent.includes('AppleWebKit/')) return null;
  if (agent.includes('Safari/')) {
    const name = agent.includes('Android') ? 'Android Browser' : 'Safari';
    return { name, version: versionAfter(agent, 'Version/') };
  }
  // Applications that show pages on iOS name no browser.
  return agent.includes('Mobile/') ? { name: 'iOS WebView', version: 'unknown' } : null;
}

function isWebView(agent: string, name: string): boolean {
  return name === 'Chrome' && agent.includes('; wv)');
}

function systemOf(agent: string): Device['os'] {
  const kernel = versionOrNull(agent, 'Windows NT ');
  if (kernel !== null) return { name: 'Windows', version: WINDOWS[kernel] ?? null };
  if (agent.includes('CrOS ')) {
    // The processor is between the name and the version.
    const rest = agent.slice(agent.indexOf('CrOS ') + 'CrOS '.length);
    return { name: 'Chrome OS', version: versionOrNull(rest, ' ') };
  }
  const known = SYSTEMS.find(([token]) => agent.includes(token));
  if (known === undefined) return agent.includes('Windows') ? { name: 'Windows', version: null } : null;
  const [token, name] = known;
  return { name, version: name === 'Linux' ? null : versionOrNull(agent, token) };
}

function deviceTypeOf(agent: string): Device['deviceType'] {
  const names = (tokens: readonly string[]) => tokens.some((token) => agent.includes(token));
  if (names(OTHER_SCREENS)) return 'unknown';
  // A tablet with Android is one that does not say that it is mobile.
  if (names(TABLETS) || (agent.includes('Android') && !names(MOBILES))) return 'tablet';
  if (names(MOBILES)) return 'mobile';
  return names(DESKTOPS) ? 'desktop' : 'unknown';
}

/** A word that calls itself a bot, such as `Googlebot` or `YandexBot`, and some that do not end so. */
const BOT =
  /(?<![A-Za-z0-9_-])([A-Za-z0-9_-]{0,40}(?:bot|crawler|spider|slurp)|facebookexternalhit|facebookcatalog|google-inspectiontool|chrome-lighthouse)(?![A-Za-z0-9_-])/i;

function botOf(agent: string): Device['browser'] {
  const name = BOT.exec(agent)?.[1];
  // A maker of telephones.
  return name === undefined || name.toLowerCase() === 'cubot'
    ? null
    : { name, version: versionAfter(agent, `${name}/`) };
}

function versionAfter(agent: string, token: string): string {
  return versionOrNull(agent, token) ?? 'unknown';
}

/** Returns the figures and points right after a token, also if they contain a blank or underscores. */
function versionOrNull(agent: string, token: string): string | null {
  const at = agent.indexOf(token);
  if (at === -1) return null;
  const text = agent.slice(at + token.length, at + token.length + VERSION_CHARS_MAX);
  const version = VERSION.exec(text)?.[1]?.replaceAll('_', '.');
  return version ?? null;
}

const VERSION = /^[ /]?(\d{1,12}(?:[._]\d{1,12}){0,4})/;
