import type { LoadCommand, LoadReport } from './load-generator.ts';
import { readPages } from './read-pages.ts';
import { sendBodies } from './send-bodies.ts';
import { sendEvents } from './send-events.ts';
import { watchIncidents } from './watch-incident.ts';
import { watchWebhook } from './watch-webhook.ts';

/** The process that generates load: it gets one task at a time, and answers, over the channel of its parent. */

process.on('message', (command: LoadCommand) => void work(command));
process.on('disconnect', () => process.exit(0));

async function work(command: LoadCommand): Promise<void> {
  try {
    report({ ok: true, result: await run(command) });
  } catch (error) {
    report({ ok: false, message: error instanceof Error ? error.message : String(error) });
  }
}

async function run(command: LoadCommand): Promise<object> {
  if (command.task === 'send') return await sendEvents(command.load);
  if (command.task === 'watch') return await watchIncidents(command.load);
  if (command.task === 'watch-webhook') return await watchWebhook(command.load);
  if (command.task === 'send-bodies') return await sendBodies(command.load);
  return await readPages(command.load);
}

function report(message: LoadReport): void {
  process.send?.(message);
}
