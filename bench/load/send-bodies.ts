import { Agent, request } from 'node:http';

/** Bodies of a megabyte that cost far more than their bytes, from one sender. */
export interface BodyLoad {
  host: string;
  port: number;
  token: string;
  shape: BodyShape;
  /** Each sends the next body when the answer to the one before was read. */
  connections: number;
  seconds: number;
}

export type BodyShape = 'empty objects' | 'wide contexts';

export interface BodyLoadResult {
  /** Answers by status. */
  answers: Record<string, number>;
}

const BODY_BYTES = 1_048_576;

/** Sends until the time has ended, and reads every answer to its end. */
export async function sendBodies(load: BodyLoad): Promise<BodyLoadResult> {
  const body = bodyOf(load.shape);
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections });
  const answers: Record<string, number> = {};
  const deadlineMs = performance.now() + load.seconds * 1000;
  let isOver = false;
  const end = setTimeout(() => {
    isOver = true;
    agent.destroy();
  }, load.seconds * 1000);

  async function sendAll(): Promise<void> {
    while (performance.now() < deadlineMs) {
      try {
        const status = String(await sendOne(load, agent, body));
        answers[status] = (answers[status] ?? 0) + 1;
      } catch (error) {
        if (!isOver) throw error;
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: load.connections }, sendAll));
  } finally {
    clearTimeout(end);
    agent.destroy();
  }
  return { answers };
}

function sendOne({ host, port, token }: BodyLoad, agent: Agent, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const sent = request({ host, port, method: 'POST', path: '/v1/events', agent, headers }, (answer) => {
      answer.on('error', reject);
      answer.on('end', () => resolve(answer.statusCode ?? 0));
      answer.resume();
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function bodyOf(shape: BodyShape): Buffer {
  const item = shape === 'empty objects' ? '{}' : wideEvent();
  const count = Math.floor((BODY_BYTES - '{"events":[]}'.length) / (item.length + 1));
  return Buffer.from(`{"events":[${Array<string>(count).fill(item).join()}]}`);
}

/** An accepted event with nearly as many values as one may have. */
function wideEvent(): string {
  const context = Object.fromEntries(Array.from({ length: 19_900 }, (_, index) => [`k${index}`, 0]));
  return JSON.stringify({
    event_type: 'log_event',
    timestamp: '2026-03-24T10:30:00Z',
    service: { name: 'wide', environment: 'production' },
    context,
    payload: { level: 'error', message: 'wide' },
  });
}
