import type { ClientRequest } from 'node:http';
import type { DiagnosticCode, DiagnosticData } from '../../../sdk-core/src/diagnostics.ts';
import type { Answer, Batch } from '../../../sdk-core/src/sending/host.ts';
import type { ResolvedOptions } from '../client/resolve-options.ts';
import { ENVIRONMENT } from '../facts/environment.ts';
import { writeEventFileSync } from '../local/event-file.ts';
import { createLocalTransport } from '../local/local-transport.ts';
import { sendBlocking } from './crash-send.ts';
import { createOwnAgents } from './http-request.ts';
import { batchHeaders, fetchConfig, sendBatch } from './ingestion.ts';
import type { OpeningConnections } from './opening-connections.ts';
import { findProxy } from './proxy.ts';

/** The delivery of a client's events out of the process. */
export interface DeliveryParts {
  send(batch: Batch): Promise<Answer>;
  fetchConfig(etag: string | null): Promise<Answer>;
  /** Sends while this thread is blocked. Returns true if the events arrived. */
  sendNow(body: string, json: string, timeoutMs: number): boolean;
  /** True if a spool takes the events that cannot be sent. */
  readonly isSpooled: boolean;
  /** The file of the last batch, in local mode. */
  lastFile(): string | null;
  /** Returns true if a request that a channel reports is one of these. */
  isOwn(request: ClientRequest): boolean;
  readonly opening: OpeningConnections;
  close(): void;
}

/** Delivery to ingestion, to the host's own function, or into files. */
export function createDeliveryParts(
  options: ResolvedOptions,
  report: (code: DiagnosticCode, data?: DiagnosticData) => void,
): DeliveryParts {
  const agents = createOwnAgents(options.proxy);
  const { delivery, endpoint, token, timeoutMs, given, localDir, service } = options;
  const none = async (): Promise<Answer> => ({ status: 0 });
  const base = {
    isOwn: agents.isOwn,
    opening: agents.opening,
    close: agents.close,
    fetchConfig: none,
    sendNow: () => false,
    isSpooled: false,
    lastFile: () => null,
  };
  if (delivery === 'custom' && given.transport !== undefined) {
    return { ...base, send: customSender(given.transport, token ?? '') };
  }
  if (delivery === 'local') {
    const local = createLocalTransport({
      directory: localDir,
      service,
      now: Date.now,
      onUnwritable: (path, code) => report('local_unwritable', { path, code }),
    });
    return {
      ...base,
      send: local.send,
      lastFile: local.lastFile,
      sendNow: (_body, json) => {
        writeEventFileSync({ directory: localDir, service, nowMs: Date.now(), json, isSynced: false });
        return true;
      },
    };
  }
  if (delivery !== 'connected' || endpoint === null || token === null) return { ...base, send: none };
  return {
    ...base,
    isSpooled: true,
    send: (batch) => sendBatch(agents, { endpoint: endpoint.events, token, timeoutMs }, batch),
    fetchConfig: (etag) => fetchConfig(agents, { endpoint: endpoint.config, token, timeoutMs }, etag),
    sendNow(body, _json, limitMs) {
      const status = sendBlocking({
        url: endpoint.events,
        headers: batchHeaders(token),
        body: Buffer.from(body, 'utf8'),
        timeoutMs: limitMs,
        proxy: findProxy(endpoint.events, options.proxy, ENVIRONMENT),
      });
      return status >= 200 && status < 300;
    },
  };
}

function customSender(
  transport: NonNullable<ResolvedOptions['given']['transport']>,
  token: string,
): DeliveryParts['send'] {
  const headers = batchHeaders(token);
  return async (batch) => {
    const { status, headers: answered, body } = await transport({ ...batch, headers });
    return {
      status,
      ...(answered === undefined ? {} : { headers: answered }),
      ...(body === undefined ? {} : { body }),
    };
  };
}
