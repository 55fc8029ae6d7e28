import { streamChanges } from '@culprit/contract/endpoints/stream';
import { isLive, pauseAfter } from './freshness.ts';
import { isShort } from './incident-pages.ts';
import { queryClient } from './query-client.ts';
import { EVERYTHING, type Hint, isAbout, readHint } from './stream-hints.ts';

/**
 * The stream of changes. One tab of a browser holds it and notifies the others, because HTTP/1.1 allows six connections
 * to an origin. It carries hints, so everything works without it, only later.
 */

const NAME = 'culprit.stream';
/** A proxy that keeps answers back lets no greeting through. */
const GREETING_MS = 5_000;
const AGAIN_AFTER_MS = { failed: 5_000, buffered: 15 * 60_000, renewed: 500 } as const;
type End = keyof typeof AGAIN_AFTER_MS;
/** A tab that was hidden for this time leaves the stream to others. */
const HIDDEN_MS = 5 * 60_000;
/** A busy project changes every second; a list that is read that often can not be read by people. */
const SPACING_MS = 4_000;
const SETTLE_MS = 100;

type Message = { kind: 'live'; isLive: boolean } | { kind: 'hint'; hint: Hint } | { kind: 'who' };

/** Follows what changes for as long as the tab is looked at. Returns what ends it. */
export function followChanges(): () => void {
  // Only pages of a safe address share locks; elsewhere everything is asked for as without a stream.
  if (!('locks' in navigator)) return () => {};
  const channel = new BroadcastChannel(NAME);
  let turn: AbortController | null = null;
  let isHolder = false;
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined;

  const tell = (message: Message) => {
    channel.postMessage(message);
    take(message);
  };
  const take = (message: Message) => {
    if (message.kind === 'hint') noteHint(message.hint);
    else if (message.kind === 'live') setLive(message.isLive);
    else if (isHolder) channel.postMessage({ kind: 'live', isLive: isLive.get() } satisfies Message);
  };
  const wait = () => {
    if (turn !== null) return;
    turn = new AbortController();
    const { signal } = turn;
    navigator.locks
      .request(NAME, { signal }, async () => {
        isHolder = true;
        await hold(tell, signal);
        isHolder = false;
      })
      // If the tab stops waiting for its turn, the request ends with an error.
      .catch(() => {});
  };
  const leave = () => {
    turn?.abort();
    turn = null;
  };
  const look = () => {
    clearTimeout(hiddenTimer);
    if (document.hidden) hiddenTimer = setTimeout(leave, HIDDEN_MS);
    else wait();
  };

  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => take(data));
  document.addEventListener('visibilitychange', look);
  channel.postMessage({ kind: 'who' } satisfies Message);
  look();
  return () => {
    document.removeEventListener('visibilitychange', look);
    clearTimeout(hiddenTimer);
    leave();
    channel.close();
  };
}

/** Listens again and again, until the tab gives its turn up. */
async function hold(tell: (message: Message) => void, leaving: AbortSignal): Promise<void> {
  let failures = 0;
  while (!leaving.aborted) {
    const end = await listen(tell, leaving, () => {
      failures = 0;
    });
    if (end !== 'renewed') tell({ kind: 'live', isLive: false });
    await pause(pauseAfter(AGAIN_AFTER_MS[end], end === 'failed' ? failures : 0), leaving);
    failures += 1;
  }
}

/** One stream, from its opening to its end. */
function listen(
  tell: (message: Message) => void,
  leaving: AbortSignal,
  onGreeting: () => void,
): Promise<End> {
  return new Promise((resolve) => {
    const source = new EventSource(streamChanges.path);
    const finish = (end: End) => {
      clearTimeout(timer);
      source.close();
      resolve(end);
    };
    const timer = setTimeout(() => finish('buffered'), GREETING_MS);
    source.addEventListener('hello', () => {
      clearTimeout(timer);
      onGreeting();
      tell({ kind: 'live', isLive: true });
    });
    source.addEventListener('changed', ({ data }) => {
      const hint = readHint(String(data));
      if (hint !== null) tell({ kind: 'hint', hint });
    });
    source.addEventListener('bye', ({ data }) =>
      finish(String(data).includes('max_age') ? 'renewed' : 'failed'),
    );
    source.addEventListener('error', () => finish('failed'));
    leaving.addEventListener('abort', () => finish('failed'), { once: true });
  });
}

/** The stream repeats nothing, so everything that it reports is read again when it begins and when it is lost. */
function setLive(isLiveNow: boolean): void {
  const wasLive = isLive.get();
  isLive.set(isLiveNow);
  if (isLiveNow || wasLive) noteHint(EVERYTHING);
}

let noted: Hint[] = [];
let isReadingSoon = false;
let lastReadMs = Number.NEGATIVE_INFINITY;

/** Hints are collected, and the data that they name is read again in one step. */
function noteHint(hint: Hint): void {
  noted.push(hint);
  if (isReadingSoon) return;
  isReadingSoon = true;
  setTimeout(readAgain, Math.max(SETTLE_MS, lastReadMs + SPACING_MS - performance.now()));
}

function readAgain(): void {
  const hints = noted;
  noted = [];
  isReadingSoon = false;
  lastReadMs = performance.now();
  void queryClient.invalidateQueries({
    predicate: (query) => isShort(query) && hints.some((hint) => isAbout(hint, query.queryKey)),
    // A hidden tab reads what is stale when it is shown.
    refetchType: document.hidden ? 'none' : 'active',
  });
}

/** Resolves after the time, or when the tab leaves. */
function pause(ms: number, leaving: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    leaving.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
