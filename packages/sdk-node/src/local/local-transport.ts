import { enforceBounds, type FileBounds, LOCAL_BOUNDS } from './bounds.ts';
import { errorCode } from './error-code.ts';
import { writeEventFile } from './event-file.ts';

const EVENTS_KEY = '{"events":';
/** Bounds are checked at the start and after so many files. */
const FILES_BETWEEN_CHECKS = 20;

/** A batch on its way out: `body` is `{"events":[…]}` with so many events. */
interface LocalBatch {
  body: string;
  events: number;
}

/** The answer that a server would give; `code` is that of the file system. */
interface LocalAnswer {
  status: number;
  body?: string;
  code?: string;
}

interface LocalTransportOptions {
  directory: string;
  service: string;
  now: () => number;
  bounds?: FileBounds;
  /** Hears of a file that cannot be written; how often, the caller decides. */
  onUnwritable: (directory: string, code: string) => void;
}

/** Delivery into files instead of to a server, with the answers that a server would give. */
interface LocalTransport {
  send(batch: LocalBatch): Promise<LocalAnswer>;
  /** The file of the last batch; null before. */
  lastFile(): string | null;
  /** Removes what the bounds no longer allow. */
  enforceBounds(): Promise<void>;
}

/** One file per batch (docs/contract/clients.md 11.3). A failed write is answered as a failed request, so the batch waits. */
export function createLocalTransport(options: LocalTransportOptions): LocalTransport {
  const { directory, service, now, onUnwritable, bounds = LOCAL_BOUNDS } = options;
  let lastFile: string | null = null;
  let untilCheck = 0;
  let check: Promise<void> | null = null;

  function checkBounds(): Promise<void> {
    check ??= enforceBounds(directory, bounds, now()).finally(() => {
      check = null;
    });
    return check;
  }

  return {
    lastFile: () => lastFile,
    enforceBounds: checkBounds,
    async send({ body, events }) {
      const json = eventsOf(body);
      if (json === null) return { status: 400 };
      try {
        lastFile = await writeEventFile({ directory, service, nowMs: now(), json, isSynced: false });
      } catch (error) {
        const code = errorCode(error);
        onUnwritable(directory, code);
        return { status: 500, code };
      }
      untilCheck -= 1;
      if (untilCheck < 0) {
        untilCheck = FILES_BETWEEN_CHECKS - 1;
        await checkBounds();
      }
      const acknowledgement = { accepted: events, rejected: 0, errors: [] };
      return { status: 202, body: JSON.stringify(acknowledgement) };
    },
  };
}

/** The array of a request body `{"events":[…]}`; null for another body. */
function eventsOf(body: string): string | null {
  return body.startsWith(`${EVENTS_KEY}[`) && body.endsWith(']}') ? body.slice(EVENTS_KEY.length, -1) : null;
}
