import type { ExceptionPayload } from './event.ts';

/**
 * The messages that extensions, wallets, crawlers and the web views of other applications cause in any page. The list
 * is in the service, so that it grows without a release of the client libraries. Each entry names something that no
 * application has.
 */
const MESSAGES: readonly RegExp[] = [
  /^ResizeObserver loop /,
  // Extensions and user scripts.
  /Extension context invalidated\.?$/,
  /Could not establish connection\. Receiving end does not exist/,
  /The message port closed before a response was received/,
  /message channel closed before a response was received/,
  /Invalid call to runtime\.(?:sendMessage|connect)\(\)/,
  /Identifier '(?:change_ua|__ytRIL)' has already been declared/,
  /\b(?:DarkReader|bmi_SafeAddOnload|conduitPage|EBCallBackMessageReceived|vid_mate_check|ceCurrentVideo)\b/,
  // Wallets, tag managers and blockers that race for the same global.
  /Cannot (?:redefine|set|assign to|delete) (?:property|read only property)?:? ?'?(?:googletag|ethereum|solana|tronLink)\b/,
  // The scanner of links in mails.
  /Object Not Found Matching Id:\s?\d+(?:, MethodName:\s?\w+)?/,
  // Web views of Facebook, Instagram, Chrome for iOS, Zalo, WeChat, Samsung and others.
  /\b(?:_AutofillCallbackHandler|PaymentAutofillConfig|_pcmBridgeCallback|instantSearchSDKJSBridgeClearHighlight)\b/,
  /\b(?:gCrWeb|__gCrWeb|__firefox__|__edgeTrackingPreventionStatistics|zaloJSV2|ZaloV2|WeixinJSBridge)\b/,
  /\bMyAppGet(?:LinkHREF|LinkTitle|HTMLElements)AtPoint\b/,
  /Java object is gone|Java exception was raised during method invocation|Java bridge method invocation error/,
  /evaluating 'window\.webkit\.messageHandlers|\bwebkit\.messageHandlers\.\w+\.postMessage/,
  /^Non-Error promise rejection captured with value: (?:Object Not Found|undefined$|Timeout$)/,
];

/** Files of extensions, user scripts and web views. */
const FILE = /(?:^|[\s(@])(?:[a-z-]{1,40}-extension|webkit-masked-url|user-script|iabjs|chrome|resource):/;
/** A line with the place of a call, as V8, and as Firefox and Safari write it. */
const FRAME = /^\s*at\s|@[\w-]+:/;
const LINES_MAX = 20;
const MESSAGE_CHARS_MAX = 1_000;

/**
 * Returns true if a failure of a page is known noise: by its message, or by the file of its innermost frame. An
 * extension that is the application itself was built with debug ids.
 */
export function isBrowserNoise({ message, stack, browserEvent, debugIds }: ExceptionPayload): boolean {
  const start = message.slice(0, MESSAGE_CHARS_MAX);
  if (MESSAGES.some((pattern) => pattern.test(start))) return true;
  const innermost = (stack ?? '').split('\n', LINES_MAX).find((line) => FRAME.test(line));
  const place = (innermost ?? browserEvent?.fileName ?? '').slice(0, MESSAGE_CHARS_MAX);
  return FILE.test(place) && !debugIds.some(({ file }) => file !== '' && place.includes(file));
}
