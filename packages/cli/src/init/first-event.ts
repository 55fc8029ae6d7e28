import { listProjectClients } from '@culprit/contract/setup/clients';
import type { Context } from '../context.ts';
import { say } from '../output/print.ts';
import { sleep } from '../sleep.ts';

const LOOK_EVERY_MS = 1000;
const OWN_NAME = 'culprit-cli';

/** Waits for the first event that a library of the application sends, or until the user presses Enter. */
export async function waitForApplication(context: Context, projectId: string): Promise<void> {
  const before = await countOfLibraries(context, projectId);
  say(context, 'Start your application. Waiting for its first event; press Enter to stop.');
  const entered = new AbortController();
  const end = () => entered.abort();
  process.stdin.once('data', end);
  process.stdin.resume();
  const ended = AbortSignal.any([entered.signal, context.interrupted]);
  try {
    while (!ended.aborted) {
      await sleep(LOOK_EVERY_MS, ended);
      if (ended.aborted) return;
      if ((await countOfLibraries(context, projectId)) > before) {
        say(context, 'The first event of your application has arrived.');
        return;
      }
    }
  } finally {
    process.stdin.off('data', end);
    process.stdin.pause();
  }
}

async function countOfLibraries(context: Context, projectId: string): Promise<number> {
  const api = await context.api();
  const { clients } = await api.call(listProjectClients, {
    params: { id: projectId },
    query: { days: 1, limit: 100 },
  });
  return clients.filter(({ sdk_name }) => sdk_name !== OWN_NAME).reduce((sum, { events }) => sum + events, 0);
}
