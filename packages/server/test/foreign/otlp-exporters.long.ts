import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFolder } from '../../../foreign-clients/clients.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';

/** F-59, F-60, F-61 and F-64 of docs/contract/foreign-protocols.md with the exporters that people use. */

const INSTALL_MAX_MS = 300_000;

/** An application of Express with the instrumentation of its makers, which asks itself and ends. */
const APPLICATION = `
const { NodeSDK } = require('@opentelemetry/sdk-node');
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { ExpressInstrumentation } = require('@opentelemetry/instrumentation-express');
const { PinoInstrumentation } = require('@opentelemetry/instrumentation-pino');
const sdk = new NodeSDK({
  instrumentations: [new HttpInstrumentation(), new ExpressInstrumentation(), new PinoInstrumentation()],
});
sdk.start();
const { trace, SpanStatusCode } = require('@opentelemetry/api');
const express = require('express');
const logger = require('pino')({ level: 'info' }, { write() {} });
const app = express();
class OrderError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = 'OrderError';
  }
}
function placeOrder(id) {
  throw new OrderError('order ' + id + ' cannot be placed');
}
app.get('/orders/:id', (request) => placeOrder(request.params.id));
app.get('/recorded', (request, response) => {
  trace.getTracer('shop').startActiveSpan('settle', (span) => {
    try {
      placeOrder('of the recorded kind');
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      logger.error({ err: error }, 'settling failed');
    }
    span.end();
    response.send('settled');
  });
});
app.get('/refused', (request, response) => response.status(503).send('later'));
app.get('/fine', (request, response) => response.send('fine'));
app.use((error, request, response, next) => response.status(500).send('failed'));
const server = app.listen(0, '127.0.0.1', async () => {
  const base = 'http://127.0.0.1:' + server.address().port;
  for (const path of JSON.parse(process.env.PATHS)) await (await fetch(base + path)).text();
  server.close();
  await sdk.shutdown();
  process.exit(0);
});
`;

describe('exporters of OpenTelemetry for Node', () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  let folder: Awaited<ReturnType<typeof clientFolder>>;

  beforeAll(async () => {
    folder = await clientFolder();
    culprit = await startCulprit();
  }, INSTALL_MAX_MS);
  afterAll(async () => {
    await culprit.stop();
    await folder.remove();
  });

  async function run(
    paths: readonly string[],
    settings: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const program = folder.write('app.cjs', APPLICATION);
    const child = spawn(process.execPath, [program], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        PATH: process.env.PATH,
        PATHS: JSON.stringify(paths),
        OTEL_SERVICE_NAME: 'shop',
        OTEL_RESOURCE_ATTRIBUTES: 'service.version=4.2.0,deployment.environment.name=staging',
        OTEL_EXPORTER_OTLP_ENDPOINT: culprit.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${client.project.projectToken}`,
        OTEL_TRACES_EXPORTER: 'otlp',
        OTEL_LOGS_EXPORTER: 'otlp',
        OTEL_METRICS_EXPORTER: 'none',
        ...settings,
      },
    });
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    await client.processed();
  }

  it.each([
    ['http/protobuf', 'none'],
    ['http/protobuf', 'gzip'],
    ['http/json', 'none'],
    ['http/json', 'gzip'],
  ])(
    'F-59 F-61 by %s with %s: an exception and its failed request are one incident, and 503 is another',
    async (protocol, compression) => {
      client = await connect(culprit, { preset: 'balanced' });
      await run(['/orders/17', '/refused', '/fine'], {
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_COMPRESSION: compression,
      });
      const found = await client.list({ project_id: client.project.projectId });
      expect(
        found.map(({ title, environment, service_name }) => [title, environment, service_name]).sort(),
      ).toEqual([
        [expect.stringContaining('503'), 'staging', 'shop'],
        [expect.stringContaining('OrderError'), 'staging', 'shop'],
      ]);
      const failure = found.find(({ title }) => title.includes('OrderError'));
      const bundle = JSON.stringify(await client.bundle(failure?.incident_id ?? ''));
      for (const part of ['placeOrder', '/orders/:id', '4.2.0', 'app.cjs']) expect(bundle).toContain(part);
    },
    120_000,
  );

  it('F-60 an exception that is recorded and logged in one span counts once', async () => {
    client = await connect(culprit, { preset: 'balanced' });
    await run(['/recorded']);
    expect((await client.only(1)).title).toContain('OrderError');
  }, 120_000);

  it('F-64 what was stored and answered 503 is sent again, and counted once', async () => {
    client = await connect(culprit, { preset: 'balanced' });
    const lost = await startLosingProxy(culprit.url, 2);
    try {
      const { port } = lost.server.address() as AddressInfo;
      await run(['/orders/17'], {
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
        OTEL_LOGS_EXPORTER: 'none',
      });
      expect(lost.requests()).toBe(3);
    } finally {
      lost.server.close();
    }
    await client.only(1);
  }, 120_000);

  it('F-66 metrics are refused for good: their exporter says so once and sends the rest', async () => {
    client = await connect(culprit, { preset: 'balanced' });
    await run(['/orders/17'], { OTEL_METRICS_EXPORTER: 'otlp' });
    await client.only(1);
  }, 120_000);
});

/** Hands everything on, and answers the first requests 503 although they were stored. */
async function startLosingProxy(
  url: string,
  losses: number,
): Promise<{ server: Server; requests: () => number }> {
  let requests = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const {
      'content-type': type = '',
      'content-encoding': encoding = '',
      authorization = '',
    } = request.headers;
    const answer = await fetch(url + request.url, {
      method: 'POST',
      headers: { 'content-type': type, 'content-encoding': encoding, authorization },
      body: new Uint8Array(Buffer.concat(chunks)),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    requests += 1;
    if (requests <= losses) response.writeHead(503, { 'retry-after': '1' }).end();
    else
      response
        .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
        .end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, requests: () => requests };
}
