import { createHash } from 'node:crypto';
import { createEventSender, type Delivery } from '../capture/event-sender.ts';
import type { Connection } from './connect.ts';

/** A build of the shop. */
export interface Release {
  version: string;
  commit: string;
}

/** A release that no other run has. */
export function newRelease(runStartedAt: Date, number: number): Release {
  const stamp = runStartedAt.toISOString().replace(/[-:T]/g, '').slice(0, 14);
  const version = `${stamp}.${number}`;
  return { version, commit: createHash('sha1').update(version).digest('hex') };
}

/** Tells Culprit of a deploy, as the last step of a pipeline would: written by hand, in the seed form. */
export async function announceRelease(
  { baseUrl, projectToken }: Connection,
  { version, commit }: Release,
): Promise<Delivery> {
  const sender = createEventSender({ baseUrl, projectToken });
  const now = new Date().toISOString();
  for (const name of ['shop-api', 'shop-web']) {
    sender.add({
      event_type: 'deploy_metadata',
      timestamp: now,
      service: { name, environment: 'production' },
      sdk: { name: 'demo-deploy-script', version: '1.0.0' },
      context: {},
      payload: { version, commit_sha: commit, branch: 'main', environment: 'production', deployed_at: now },
    });
  }
  return await sender.flush();
}
