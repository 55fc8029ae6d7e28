import { createLocalTransport } from '../../src/local/local-transport.ts';

/**
 * node write-events.ts DIRECTORY NAME FLUSHES BYTES [MILLISECONDS] [UID]: writes that many files of events as an
 * application does, all at the same time when one is given. Its last line says how the last flush was answered.
 */
const [directory = '', name = '', flushes = '0', bytes = '0', fixedMs = '', uid = ''] = process.argv.slice(2);
if (uid !== '') process.setuid?.(Number(uid));

const told: string[] = [];
const transport = createLocalTransport({
  directory,
  service: name,
  now: () => (fixedMs === '' ? Date.now() : Number(fixedMs)),
  onUnwritable: (path, code) => told.push(`${code} ${path}`),
});
let status = 0;
for (let flush = 0; flush < Number(flushes); flush += 1) {
  const event = { event_id: `${name}-${flush}`, payload: { message: 'x'.repeat(Number(bytes)) } };
  ({ status } = await transport.send({ body: JSON.stringify({ events: [event] }), events: 1 }));
}
console.log(JSON.stringify({ status, told }));
