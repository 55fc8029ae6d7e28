import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { addressBytes } from './address-bytes.ts';

/** What the server does with questions for one name: addresses of both families, or one of the ways DNS fails. */
type DnsBehaviour =
  | { addresses: readonly string[]; alias?: string; delayMs?: number }
  /** The name does not exist; it does, without addresses; the server cannot or will not say; it says nonsense. */
  | 'nxdomain'
  | 'empty'
  | 'servfail'
  | 'refused'
  | 'garbage'
  | 'silent';

/** A name server on a UDP port of its own, which speaks real DNS. Names it does not know do not exist. */
export interface DnsServer {
  /** `address:port`, as `OutboundPolicy.nameServers` takes it. */
  address: string;
  /** Every name asked for, in order; both families of one look-up count. */
  questions: string[];
  /**
   * How a name behaves from now on. With several behaviours each look-up takes the next one, and the last one stays:
   * that is a name that rebinds.
   */
  set(name: string, ...behaviours: [DnsBehaviour, ...DnsBehaviour[]]): void;
  close(): Promise<void>;
}

const TYPE_A = 1;
const TYPE_CNAME = 5;
const TYPE_AAAA = 28;
const CODES = { nxdomain: 3, empty: 0, servfail: 2, refused: 5 } as const;
const HEADER_BYTES = 12;

export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const behaviours = new Map<string, readonly DnsBehaviour[]>();
  const timesAsked = new Map<string, number>();
  let isClosed = false;
  const questions: string[] = [];

  socket.on('message', (query, client) => {
    const { name, type, bytes: questionBytes } = readQuestion(query);
    questions.push(name);
    const wanted = behaviours.get(name) ?? ['nxdomain'];
    const asked = timesAsked.get(`${name} ${type}`) ?? 0;
    timesAsked.set(`${name} ${type}`, asked + 1);
    const behaviour = wanted[Math.min(asked, wanted.length - 1)] ?? 'nxdomain';
    if (behaviour === 'silent') return;
    const answer = answerTo(query, type, questionBytes, behaviour);
    const delayMs = typeof behaviour === 'object' ? (behaviour.delayMs ?? 0) : 0;
    setTimeout(() => {
      if (!isClosed) socket.send(answer, client.port, client.address);
    }, delayMs).unref();
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');

  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    set(name, ...wanted) {
      behaviours.set(name, wanted);
      for (const type of [TYPE_A, TYPE_AAAA]) timesAsked.delete(`${name} ${type}`);
    },
    async close() {
      isClosed = true;
      socket.close();
      await once(socket, 'close');
    },
  };
}

function readQuestion(query: Buffer): { name: string; type: number; bytes: Buffer } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return {
    name: labels.join('.'),
    type: query.readUInt16BE(at + 1),
    bytes: query.subarray(HEADER_BYTES, at + 5),
  };
}

function answerTo(
  query: Buffer,
  type: number,
  question: Buffer,
  behaviour: Exclude<DnsBehaviour, 'silent'>,
): Buffer {
  if (behaviour === 'garbage') return Buffer.concat([query.subarray(0, 2), Buffer.alloc(40, 0xff)]);
  const code = typeof behaviour === 'string' ? CODES[behaviour] : 0;
  const records = typeof behaviour === 'string' ? [] : recordsFor(type, behaviour);
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  // A response, recursion desired and available.
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question, ...records]);
}

function recordsFor(
  type: number,
  { addresses, alias }: { addresses: readonly string[]; alias?: string },
): Buffer[] {
  const family = type === TYPE_A ? 4 : 6;
  const owner = alias === undefined ? Buffer.from([0xc0, HEADER_BYTES]) : nameBytes(alias);
  const records = addresses
    .filter((address) => isIP(address) === family)
    .map((address) => record(owner, type, addressBytes(address)));
  const link =
    alias === undefined ? [] : [record(Buffer.from([0xc0, HEADER_BYTES]), TYPE_CNAME, nameBytes(alias))];
  return [...link, ...records];
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(type, 0);
  fields.writeUInt16BE(1, 2);
  // A life of zero: nobody may remember it.
  fields.writeUInt32BE(0, 4);
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fields, data]);
}

function nameBytes(name: string): Buffer {
  const labels = name
    .split('.')
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}
