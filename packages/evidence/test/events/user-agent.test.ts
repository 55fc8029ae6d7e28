import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../src/events/envelope/check-event.ts';
import type { JsonObject } from '../../src/events/envelope/json.ts';
import { normalizeEvent } from '../../src/events/normalize/normalize-event.ts';
import { readUserAgent } from '../../src/events/normalize/user-agent.ts';
import { fixture } from './event-fixtures.ts';

const KHTML = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const IOS = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

/** Browser with version, system with version, type. */
const AGENTS: readonly (readonly [agent: string, browser: string | null, os: string | null, type: string])[] =
  [
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/140.0.0.0 Safari/537.36`,
      'Chrome 140.0.0.0',
      'Windows 10',
      'desktop',
    ],
    [
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${KHTML} Chrome/140.0.0.0 Safari/537.36`,
      'Chrome 140.0.0.0',
      'macOS 10.15.7',
      'desktop',
    ],
    [
      `Mozilla/5.0 (X11; Linux x86_64) ${KHTML} Chrome/139.0.0.0 Safari/537.36`,
      'Chrome 139.0.0.0',
      'Linux',
      'desktop',
    ],
    [
      `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${KHTML} Chrome/138.0.0.0 Safari/537.36`,
      'Chrome 138.0.0.0',
      'Chrome OS 14541.0.0',
      'desktop',
    ],
    [
      `Mozilla/5.0 (Linux; Android 10; K) ${KHTML} Chrome/140.0.0.0 Mobile Safari/537.36`,
      'Chrome 140.0.0.0',
      'Android 10',
      'mobile',
    ],
    [
      `Mozilla/5.0 (Linux; Android 13; SM-X906C) ${KHTML} Chrome/119.0.0.0 Safari/537.36`,
      'Chrome 119.0.0.0',
      'Android 13',
      'tablet',
    ],
    [
      `Mozilla/5.0 (Linux; Android 9; CUBOT NOTE 20) ${KHTML} Chrome/99.0.4844.88 Mobile Safari/537.36`,
      'Chrome 99.0.4844.88',
      'Android 9',
      'mobile',
    ],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) ${IOS} CriOS/123.0.6312.52 Mobile/15E148 Safari/604.1`,
      'Chrome 123.0.6312.52',
      'iOS 17.4.1',
      'mobile',
    ],
    [
      `Mozilla/5.0 (Linux; Android 13; Pixel 7; wv) ${KHTML} Version/4.0 Chrome/116.0.0.0 Mobile Safari/537.36`,
      'Android WebView 116.0.0.0',
      'Android 13',
      'mobile',
    ],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.3485.54`,
      'Edge 140.0.3485.54',
      'Windows 10',
      'desktop',
    ],
    [
      `Mozilla/5.0 (Linux; Android 10; HD1913) ${KHTML} Chrome/140.0.7339.51 Mobile Safari/537.36 EdgA/140.0.3485.14`,
      'Edge 140.0.3485.14',
      'Android 10',
      'mobile',
    ],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${IOS} Version/18.0 EdgiOS/140.3485.14 Mobile/15E148 Safari/604.1`,
      'Edge 140.3485.14',
      'iOS 18.6',
      'mobile',
    ],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/51.0.2704.79 Safari/537.36 Edge/14.14393`,
      'Edge 14.14393',
      'Windows 10',
      'desktop',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:142.0) Gecko/20100101 Firefox/142.0',
      'Firefox 142.0',
      'Windows 10',
      'desktop',
    ],
    [
      'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
      'Firefox 128.0',
      'Linux',
      'desktop',
    ],
    [
      'Mozilla/5.0 (Android 14; Mobile; rv:142.0) Gecko/142.0 Firefox/142.0',
      'Firefox 142.0',
      'Android 14',
      'mobile',
    ],
    [
      'Mozilla/5.0 (Android 14; Tablet; rv:142.0) Gecko/142.0 Firefox/142.0',
      'Firefox 142.0',
      'Android 14',
      'tablet',
    ],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 15_6 like Mac OS X) ${IOS} FxiOS/142.0 Mobile/15E148 Safari/605.1.15`,
      'Firefox 142.0',
      'iOS 15.6',
      'mobile',
    ],
    [
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${IOS} Version/17.4.1 Safari/605.1.15`,
      'Safari 17.4.1',
      'macOS 10.15.7',
      'desktop',
    ],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${IOS} Version/17.4 Mobile/15E148 Safari/604.1`,
      'Safari 17.4',
      'iOS 17.4',
      'mobile',
    ],
    [
      `Mozilla/5.0 (iPad; CPU OS 12_5_7 like Mac OS X) ${IOS} Version/12.1.2 Mobile/15E148 Safari/604.1`,
      'Safari 12.1.2',
      'iOS 12.5.7',
      'tablet',
    ],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 16_1 like Mac OS X) ${IOS} Mobile/15E148`,
      'iOS WebView unknown',
      'iOS 16.1',
      'mobile',
    ],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) ${IOS} GSA/300.0.598994205 Mobile/15E148 Safari/604.1`,
      'Google App 300.0.598994205',
      'iOS 17.0',
      'mobile',
    ],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) ${IOS} Mobile/21G80 Instagram 345.0.3.16.75 (iPhone14,5; iOS 17_6)`,
      'Instagram 345.0.3.16.75',
      'iOS 17.6',
      'mobile',
    ],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) ${IOS} Mobile/21G80 [FBAN/FBIOS;FBAV/475.0.0.29.109;FBBV/1]`,
      'Facebook 475.0.0.29.109',
      'iOS 17.6',
      'mobile',
    ],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${IOS} Version/17.4 Mobile/15E148 DuckDuckGo/7 Safari/605.1.15`,
      'DuckDuckGo 7',
      'iOS 17.4',
      'mobile',
    ],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/138.0.0.0 Safari/537.36 OPR/122.0.0.0`,
      'Opera 122.0.0.0',
      'Windows 10',
      'desktop',
    ],
    [
      'Opera/9.80 (J2ME/MIDP; Opera Mini/7.1.32052/29.3709; U; en) Presto/2.8.119 Version/11.10',
      'Opera Mini 7.1.32052',
      null,
      'mobile',
    ],
    [
      `Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S918B) ${KHTML} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
      'Samsung Internet 28.0',
      'Android 14',
      'mobile',
    ],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/138.0.0.0 YaBrowser/25.8.0.0 Safari/537.36`,
      'Yandex Browser 25.8.0.0',
      'Windows 10',
      'desktop',
    ],
    [
      `Mozilla/5.0 (Windows NT 10.0; WOW64) ${KHTML} Chrome/138.0.0.0 Safari/537.36 Vivaldi/7.5.3735.64`,
      'Vivaldi 7.5.3735.64',
      'Windows 10',
      'desktop',
    ],
    [
      'Mozilla/5.0 (Linux; U; Android 4.0.3; en-us; KFTT Build/IML74K) AppleWebKit/535.19 (KHTML, like Gecko) Silk/3.4 Safari/535.19',
      'Silk 3.4',
      'Android 4.0.3',
      'tablet',
    ],
    [
      'Mozilla/5.0 (Linux; U; Android 4.0.3; de-de; GT-I9100) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Mobile Safari/534.30',
      'Android Browser 4.0',
      'Android 4.0.3',
      'mobile',
    ],
    [
      'Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko',
      'Internet Explorer 11.0',
      'Windows 7',
      'desktop',
    ],
    [
      'Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0)',
      'Internet Explorer 10.0',
      'Windows 8',
      'desktop',
    ],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} shop/1.2.0 Chrome/138.0.7204.251 Electron/37.4.0 Safari/537.36`,
      'Electron 37.4.0',
      'Windows 10',
      'desktop',
    ],
    [
      `Mozilla/5.0 (X11; Linux x86_64) ${KHTML} HeadlessChrome/140.0.0.0 Safari/537.36`,
      'Headless Chrome 140.0.0.0',
      'Linux',
      'desktop',
    ],
    [
      'Mozilla/5.0 (Mobile; Nokia_800_Tough; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5.2.2',
      'Firefox 48.0',
      'KaiOS 2.5.2.2',
      'mobile',
    ],
    [
      `Mozilla/5.0 (Web0S; Linux/SmartTV) ${KHTML} Chrome/94.0.4606.128 Safari/537.36`,
      'Chrome 94.0.4606.128',
      'webOS',
      'unknown',
    ],
    [
      `Mozilla/5.0 (Linux; Android 9; BRAVIA 4K VH2) ${KHTML} Chrome/120.0.0.0 Safari/537.36`,
      'Chrome 120.0.0.0',
      'Android 9',
      'unknown',
    ],
    [
      'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      'Googlebot 2.1',
      null,
      'unknown',
    ],
    [
      `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) ${KHTML} Chrome/140.0.7339.80 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
      'Googlebot 2.1',
      'Android 6.0.1',
      'unknown',
    ],
    [
      'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
      'bingbot 2.0',
      null,
      'unknown',
    ],
    ['Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)', 'YandexBot 3.0', null, 'unknown'],
    [
      'Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)',
      'Baiduspider 2.0',
      null,
      'unknown',
    ],
    [
      'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
      'facebookexternalhit 1.1',
      null,
      'unknown',
    ],
    ['DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)', 'DuckDuckBot 1.1', null, 'unknown'],
    [
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${KHTML} Chrome/131.0.0.0 Safari/537.36 Chrome-Lighthouse`,
      'Chrome-Lighthouse unknown',
      'macOS 10.15.7',
      'unknown',
    ],
    ['GPTBot/1.2 (+https://openai.com/gptbot)', 'GPTBot 1.2', null, 'unknown'],
    ['curl/8.5.0', null, null, 'unknown'],
    ['', null, null, 'unknown'],
  ];

const named = (part: { name: string | null; version: string | null } | null) =>
  part === null ? null : [part.name, part.version].filter((each) => each !== null).join(' ');

describe('a user agent', () => {
  it.each(AGENTS)('%s', (agent, browser, os, type) => {
    const facts = readUserAgent(agent);
    expect([named(facts.browser), named(facts.os), facts.deviceType]).toEqual([browser, os, type]);
  });

  it('is read no further than some hundred characters', () => {
    const agent = (chars: number) => `${'x'.repeat(chars)} Chrome/140.0 (X11)`;
    expect(readUserAgent(agent(900)).browser).toEqual({ name: 'Chrome', version: '140.0' });
    expect(readUserAgent(agent(100_000))).toEqual({ browser: null, os: null, deviceType: 'unknown' });
  });
});

describe('a device', () => {
  const CHROME = `Mozilla/5.0 (Linux; Android 10; K) ${KHTML} Chrome/140.0.0.0 Mobile Safari/537.36`;
  const deviceOf = (payload: JsonObject) => {
    const event = fixture('FE', { payload: { name: 'Error', message: 'x', ...payload } });
    expect(checkEvent(event).ok).toBe(true);
    return normalizeEvent(event, { eventId: 'evt_1', receivedAtMs: Date.UTC(2026, 2, 24, 10, 30) }).device;
  };
  const DERIVED = {
    browser: { name: 'Chrome', version: '140.0.0.0' },
    os: { name: 'Android', version: '10' },
    deviceType: 'mobile',
  };

  it.each<[string, JsonObject]>([
    ['its own', { device: { user_agent: CHROME } }],
    ['a hand-written event', { user_agent: CHROME }],
  ])('has what the user agent of %s tells', (_, payload) => {
    expect(deviceOf(payload)).toMatchObject({ userAgent: CHROME, ...DERIVED });
  });

  it.each<[JsonObject, object]>([
    [
      { browser: { name: 'Brave', version: '1.8' } },
      { ...DERIVED, browser: { name: 'Brave', version: '1.8' } },
    ],
    [{ browser: { name: 'Brave' } }, { ...DERIVED, browser: { name: 'Brave', version: 'unknown' } }],
    [
      { os: { name: 'GrapheneOS', version: null } },
      { ...DERIVED, os: { name: 'GrapheneOS', version: null } },
    ],
    [{ device_type: 'tablet' }, { ...DERIVED, deviceType: 'tablet' }],
    [{ device_type: 'fridge' }, { ...DERIVED, deviceType: 'unknown' }],
    [{ browser: 'Brave', os: { name: null }, device_type: null }, DERIVED],
  ])('keeps what the client names: %j', (said, facts) => {
    expect(deviceOf({ device: { user_agent: CHROME, ...said } })).toMatchObject(facts);
  });

  it('keeps a browser in another form with what it does not name', () => {
    expect(deviceOf({ device: { user_agent: CHROME, browser: 'Brave' } })?.extra).toEqual({
      browser: 'Brave',
    });
  });
});
