import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { PageReading, ReadingResult } from './read-pages.ts';
import type { BodyLoad, BodyLoadResult } from './send-bodies.ts';
import type { EventLoad, LoadResult } from './send-events.ts';
import type { IncidentWatch, WatchResult } from './watch-incident.ts';
import type { WebhookWatch, WebhookWatchResult } from './watch-webhook.ts';

export type LoadCommand =
  | { task: 'send'; load: EventLoad }
  | { task: 'watch'; load: IncidentWatch }
  | { task: 'watch-webhook'; load: WebhookWatch }
  | { task: 'read'; load: PageReading }
  | { task: 'send-bodies'; load: BodyLoad };
export type LoadReport = { ok: true; result: object } | { ok: false; message: string };

/** The load generator in its own process, so that it shares no event loop and no heap with anything measured. */
export interface LoadGenerator {
  send(load: EventLoad): Promise<LoadResult>;
  watch(load: IncidentWatch): Promise<WatchResult>;
  watchWebhook(load: WebhookWatch): Promise<WebhookWatchResult>;
  read(load: PageReading): Promise<ReadingResult>;
  sendBodies(load: BodyLoad): Promise<BodyLoadResult>;
  stop(): void;
}

export function startLoadGenerator(): LoadGenerator {
  const child = fork(fileURLToPath(new URL('./load-process.ts', import.meta.url)), { stdio: 'inherit' });
  return {
    send: (load) => ask<LoadResult>(child, { task: 'send', load }),
    watch: (load) => ask<WatchResult>(child, { task: 'watch', load }),
    watchWebhook: (load) => ask<WebhookWatchResult>(child, { task: 'watch-webhook', load }),
    read: (load) => ask<ReadingResult>(child, { task: 'read', load }),
    sendBodies: (load) => ask<BodyLoadResult>(child, { task: 'send-bodies', load }),
    stop: () => void child.kill(),
  };
}

/** The child answers a task with that task's result, which both sides take from the same module. */
function ask<Result>(child: ChildProcess, command: LoadCommand): Promise<Result> {
  return new Promise((resolve, reject) => {
    function settle(report: LoadReport): void {
      child.off('exit', onExit);
      if (report.ok) resolve(report.result as Result);
      else reject(new Error(report.message));
    }
    function onExit(): void {
      child.off('message', settle);
      reject(new Error('the load generator ended'));
    }
    child.once('message', settle);
    child.once('exit', onExit);
    child.send(command);
  });
}
