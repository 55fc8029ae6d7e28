import { type TraceStep, writtenSteps } from './intake-trace.ts';

/** One call in the words of the tracer, such as `fsync(23</data/objects/raw>) = 0`. */
interface Call {
  name: string;
  /** Arguments and, once it is known, the result. */
  text: string;
}

const OBJECT_KEY = /raw\/[0-9a-f-]{36}\/\d{4}-\d\d-\d\d\/(?:[ap]m-)?[0-9a-f-]{36}/;
/** PostgreSQL is done with what it was asked. */
const READY = /Z\\0\\0\\0\\5I"/;

/**
 * Reads the output of strace for an API process that answered one request after the other: the n-th answer belongs to
 * the n-th batch that was stored.
 */
export function readSystemCalls(
  output: string,
  { databasePort, apiPort }: { databasePort: number; apiPort: number },
): TraceStep[] {
  const steps: TraceStep[] = [];
  const begun = new Map<string, Call>();
  const syncing = new Set<string>();
  const batches: { path: string; offset: number }[] = [];
  let answers = 0;
  let committing: { descriptor: string; path: string; offset: number } | null = null;

  for (const line of output.split('\n')) {
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)?.[1];
    if (resumed !== undefined) {
      const call = begun.get(thread);
      begun.delete(thread);
      if (call !== undefined) end({ ...call, text: call.text + resumed });
      continue;
    }
    const [, name = '', rest = ''] = /^(\w+)\((.*)$/.exec(text) ?? [];
    if (name === '') continue;
    const unfinished = rest.endsWith('<unfinished ...>') ? rest.slice(0, -'<unfinished ...>'.length) : null;
    const call = { name, text: unfinished ?? rest };
    begin(call);
    if (unfinished === null) end(call);
    else begun.set(thread, call);
  }
  return steps;

  /** Numbers of descriptors are used again. */
  function noteOpened(text: string): void {
    const [, flags = '', descriptor = ''] = OPENED.exec(text) ?? [];
    if (flags.split('|').includes('O_SYNC')) syncing.add(descriptor);
    else syncing.delete(descriptor);
  }

  function begin({ name, text }: Call): void {
    const { descriptor, target } = descriptorOf(text);
    if (isSync(name)) steps.push({ kind: 'sync begins', path: target });
    if (!isSend(name)) return;
    if (target.endsWith(`:${databasePort}]`)) {
      const key = OBJECT_KEY.exec(text)?.[0];
      const place = batches.findLast(({ path }) => key !== undefined && path.endsWith(key));
      if (place === undefined) return;
      committing = { descriptor, ...place };
      steps.push({ kind: 'commit begins', ...place });
    } else if (target.includes(`:${apiPort}->`) && text.includes('HTTP/1.1 202')) {
      steps.push({ kind: 'answered', ...(batches[answers] ?? { path: '', offset: 0 }) });
      answers += 1;
    }
  }

  function end({ name, text }: Call): void {
    if (/ = -1 E\w+ /.test(text)) return;
    const { descriptor, target } = descriptorOf(text);
    const [first = '', second = ''] = [...text.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '');
    if (isSync(name)) steps.push({ kind: 'synced', path: target });
    else if (name.startsWith('open')) noteOpened(text);
    else if (isSend(name) && target.startsWith('/')) {
      const place = { path: target, offset: positionOf(text) };
      steps.push(...writtenSteps(place.path, place.offset, syncing.has(descriptor)));
      if (OBJECT_KEY.test(target)) batches.push(place);
    } else if (name.startsWith('mkdir')) steps.push({ kind: 'directory made', path: first });
    else if (name.startsWith('rename')) {
      steps.push({ kind: 'renamed', path: first, to: second });
      if (OBJECT_KEY.test(second)) batches.push({ path: second, offset: 0 });
    } else if (committing?.descriptor === descriptor && READY.test(text)) {
      steps.push({ kind: 'committed', path: committing.path, offset: committing.offset });
      committing = null;
    }
  }
}

/** Flags and new descriptor of `openat(AT_FDCWD</>, "/data/a", O_RDWR|O_SYNC|O_CLOEXEC) = 23</data/a>`. */
const OPENED = /, (O_[A-Z_|]+).*\) += (\d+)</;

function isSync(name: string): boolean {
  return name === 'fsync' || name === 'fdatasync';
}

function isSend(name: string): boolean {
  return /^(?:write|writev|pwrite64|sendto|sendmsg)$/.test(name);
}

/** The last argument of a write that names a place in the file. */
function positionOf(text: string): number {
  return Number(/, (\d+)\) += \d+$/.exec(text)?.[1] ?? 0);
}

/** `23</data/objects/raw>` or `19<TCP:[127.0.0.1:40610->127.0.0.1:5432]>`. */
function descriptorOf(text: string): { descriptor: string; target: string } {
  const [, descriptor = '', path, address] = /^(\d+)<(?:(\/[^>]*)|TCP:(\[.*?\]))>/.exec(text) ?? [];
  return { descriptor, target: path ?? address ?? '' };
}
