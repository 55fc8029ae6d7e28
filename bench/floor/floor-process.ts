import { close, fsync, ftruncate, open, writev } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { promisify } from 'node:util';

/**
 * The least work of a durable accept: a bare HTTP server, `JSON.parse`, and one synced append for all requests that
 * arrived in the meantime. No token, no validation, no database, no job. Its argument names the file.
 */

const FILE_BYTES_MAX = 512 * 1024 * 1024;
const sync = promisify<number, void>(fsync);
const empty = promisify<number, number, void>(ftruncate);
const append = promisify<number, readonly Buffer[], number>((file, buffers, done) =>
  writev(file, [...buffers], done),
);

interface Waiting {
  body: Buffer;
  events: number;
  response: ServerResponse;
}

const path = process.argv[2] ?? '';
const file = await promisify<string, string, number>(open)(path, 'a');
let waiting: Waiting[] = [];
let isWriting = false;
let fileBytes = 0;

async function writeGroups(): Promise<void> {
  isWriting = true;
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    if (fileBytes > FILE_BYTES_MAX) {
      await empty(file, 0);
      fileBytes = 0;
    }
    fileBytes += await append(
      file,
      group.map((each) => each.body),
    );
    await sync(file);
    for (const { response, events } of group) {
      const answer = `{"accepted":${events}}`;
      response.writeHead(202, { 'content-type': 'application/json', 'content-length': answer.length });
      response.end(answer);
    }
  }
  isWriting = false;
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => void chunks.push(chunk));
  request.on('end', () => {
    const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
    const { events } = JSON.parse(body.toString('utf8'));
    waiting.push({ body, events: events.length, response });
    if (!isWriting) void writeGroups();
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 });
});
process.on('disconnect', () => close(file, () => process.exit(0)));
