import { deleteWebhook, listWebhooks } from '@culprit/contract/alerts/webhooks';
import type { Environment } from '../config/folders.ts';
import type { Context } from '../context.ts';
import { say } from '../output/print.ts';
import { readState, removeState, writeState } from '../state/state-file.ts';

/** Temporary webhooks are known by it, also after a crash. */
export const PATH_PREFIX = '/culprit-listen/';
const PREFIX_OF_STATE = 'listen-';

/**
 * Stores the process of a webhook, so that it can be distinguished from that of another machine when this process has
 * ended.
 */
export function rememberWebhook({ environment }: Context, webhookId: string): void {
  writeState(environment, PREFIX_OF_STATE + webhookId, { pid: process.pid });
}

export function forgetWebhook({ environment }: Context, webhookId: string): void {
  removeState(environment, PREFIX_OF_STATE + webhookId);
}

/** Deletes the webhooks of runs of this machine that ended without doing it. */
export async function deleteLeftOvers(context: Context, projectId: string): Promise<void> {
  const api = await context.api();
  const { webhooks } = await api.call(listWebhooks, { query: { project_id: projectId, limit: 100 } });
  for (const { webhook_id, url } of webhooks) {
    if (!url.includes(PATH_PREFIX)) continue;
    if (!(await isLeftOver(context.environment, webhook_id, url))) continue;
    await api.attempt(deleteWebhook, { params: { id: webhook_id } });
    forgetWebhook(context, webhook_id);
    say(context, `Deleted the webhook ${webhook_id} of an earlier run.`);
  }
}

/** Another run of this machine may continue, and so may one of another machine with an address that leads there. */
async function isLeftOver(environment: Environment, webhookId: string, url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  if (hostname === '127.0.0.1') return !(await isServed(hostname, Number(port)));
  const pid = readState(environment, PREFIX_OF_STATE + webhookId)?.pid;
  return typeof pid === 'number' && !isRunning(pid);
}

async function isServed(hostname: string, port: number): Promise<boolean> {
  const { connect } = await import('node:net');
  return await new Promise((resolve) => {
    const socket = connect(port, hostname);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
