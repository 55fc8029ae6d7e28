import type { RuleDecision } from '@culprit/evidence/capture/evaluate-rules';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import {
  availabilityFingerprint,
  groupingKeyOf,
  sampleKeyOf,
} from '@culprit/evidence/events/fingerprint/fingerprint';
import type { GroupingKeyMaker } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import { demotedClass } from '@culprit/evidence/events/normalize/event-class';
import type { Acceptance, judgeEvent } from '@culprit/evidence/incidents/judge-event';
import type { MappedKeys } from '../../../maps/lookup/mapped-keys.ts';
import {
  ObjectMissingError,
  type ObjectStore,
  ObjectStoreUnavailableError,
} from '../../../platform/objects/object-store.ts';
import { type DecodedRecord, decodeWhatIsLeft, derivedEventId } from '../../stored-events/batch-object.ts';
import type { BatchObjectHeader, BatchRequest, FailingCheck } from '../../stored-events/object-head.ts';
import { DamagedObjectError } from '../../stored-events/raw-record.ts';
import type { BatchJobPayload } from './incidents.jobs.ts';
import { type Judgement, judgeWhole } from './judge-whole.ts';
import type { OutlineMemory } from './outlined-facts.ts';

/** An accepted event, read back and judged: what the transaction needs of it. */
export interface ReadEvent extends Judgement {
  batchId: string;
  record: DecodedRecord;
  /** Null: the service itself created the event, of which no outcome is counted and nothing is charged. */
  tokenId: string | null;
  isOriginBound: boolean;
  /** The check whose failure it reports; null for other events. */
  failingCheck: FailingCheck | null;
  /** The sample data to which it belongs; null for other events. */
  sampleId: string | null;
  /** The outcome of a rule over its mapped key: it is counted nowhere. */
  keptAway: 'dropped' | 'sampled_out' | null;
}

/** The way in which events are judged. */
interface Judging {
  keyOf: GroupingKeyMaker;
  rules: readonly StackRule[];
  /** Null where a key can come from more than the event. */
  outlines: OutlineMemory | null;
}

/**
 * Called with the progress, so that a thread that is stuck in one event can be found (docs/contract/reliability.md A3).
 */
export interface ReadProgress {
  /** Parsing begins; no I/O until `rest`. */
  work(): void;
  /** One event is done. */
  step(): void;
  rest(): void;
}

/** A batch with the records of its raw object, as far as they could be read. */
export interface DecodedBatch {
  batch: BatchJobPayload;
  header: BatchObjectHeader;
  records: readonly DecodedRecord[];
  /** Why events of it are lost; null: none is. */
  damage: string | null;
}

/** The result of reading a batch. */
export type BatchReading =
  | { kind: 'decoded'; decoded: DecodedBatch }
  /** All of it is missing, or damaged beyond use. */
  | { kind: 'lost'; batch: BatchJobPayload; reason: string }
  /** It is there, but cannot be read right now. */
  | { kind: 'unreadable'; batch: BatchJobPayload; error: ObjectStoreUnavailableError };

/** Reads the raw objects of batches. What is wrong with one says nothing of the others. */
export async function readBatches(
  objects: ObjectStore,
  batches: readonly BatchJobPayload[],
): Promise<BatchReading[]> {
  return await Promise.all(batches.map((batch) => readBatch(objects, batch)));
}

async function readBatch(objects: ObjectStore, batch: BatchJobPayload): Promise<BatchReading> {
  try {
    let left = await decodeWhatIsLeft(await readBytes(objects, batch));
    // Read again, because the damage may have happened on the way from the store.
    if (left.damage !== null) left = await decodeWhatIsLeft(await readBytes(objects, batch));
    const { header, records } = left;
    const { position } = batch;
    const isThere = position === null || records.some((each) => each.position === position);
    const damage = left.damage ?? (isThere ? null : new DamagedObjectError(`no event ${position}`));
    const reason = damage === null ? null : damageText(batch, damage);
    return { kind: 'decoded', decoded: { batch, header, records, damage: reason } };
  } catch (error) {
    if (error instanceof ObjectStoreUnavailableError) return { kind: 'unreadable', batch, error };
    if (error instanceof ObjectMissingError) return { kind: 'lost', batch, reason: error.message };
    if (error instanceof DamagedObjectError) return { kind: 'lost', batch, reason: damageText(batch, error) };
    throw error;
  }
}

function damageText({ objectKey }: BatchJobPayload, { message }: DamagedObjectError): string {
  return `object ${objectKey} is damaged: ${message}`;
}

/**
 * The events of batches of one project, all of them or the single one that a job names.
 * @throws DamagedObjectError
 */
export function readEvents(
  decoded: readonly DecodedBatch[],
  judging: Judging,
  progress: ReadProgress,
): ReadEvent[] {
  const events: ReadEvent[] = [];
  progress.work();
  try {
    for (const make of makersOf(decoded)) {
      events.push(make(judging));
      progress.step();
    }
  } finally {
    progress.rest();
  }
  return events;
}

/**
 * Reads the same for a project with source maps: events whose places have to be loaded are read again, and those that a
 * rule over their mapped key keeps without incident.
 * @param decide returns the decisions of the project's rules about them
 * @throws DamagedObjectError
 */
export async function readMappedEvents(
  decoded: readonly DecodedBatch[],
  keys: MappedKeys,
  progress: ReadProgress,
  decide: (events: readonly ReadEvent[]) => Promise<ReadonlyMap<ReadEvent, RuleDecision>>,
): Promise<ReadEvent[]> {
  const judging: Judging = { keyOf: keys.keyOf, rules: [], outlines: null };
  const makers = [...makersOf(decoded)];
  const events: ReadEvent[] = [];
  let open = makers.map((_, index) => index);
  for (let look = 1; open.length > 0; look += 1) {
    const incomplete: number[] = [];
    progress.work();
    try {
      for (const index of open) {
        const event = makers[index]?.(judging);
        if (event !== undefined) events[index] = event;
        if (!keys.isComplete()) incomplete.push(index);
        progress.step();
      }
    } finally {
      progress.rest();
    }
    if (look === LOOKS_MAX) break;
    open = incomplete;
    if (open.length > 0) await keys.load();
  }
  const decisions = await decide(events);
  return decisions.size === 0
    ? events
    : events.map((each, index) => {
        const decision = decisions.get(each);
        if (decision === undefined) return each;
        const { outcome, ruleId } = decision;
        const record = { ...each.record, ruleId };
        if (outcome === 'kept') return { ...each, record };
        if (outcome !== 'demoted') return { ...each, record, keptAway: outcome };
        const demoted = { ...record, eventClass: demotedClass(record.eventClass), isDemoted: true };
        return makers[index]?.(judging, demoted) ?? each;
      });
}

/** Deployments say which release a name is of, names say which map, maps say the place. */
const LOOKS_MAX = 4;

/** Reads an event; as another record where a rule changed what it is. */
type EventMaker = (judging: Judging, changed?: DecodedRecord) => ReadEvent;

function* makersOf(decoded: readonly DecodedBatch[]): Generator<EventMaker> {
  for (const { batch, header, records } of decoded) {
    const senders = header.requests.map(senderOf);
    for (const record of records) {
      if (batch.position !== null && record.position !== batch.position) continue;
      const sender = senders[record.requestIndex];
      if (sender === undefined)
        throw new DamagedObjectError('a record names a request that is not in the header');
      yield (judging, changed = record) =>
        readRecord(batch.batchId, changed, sender, header.receivedAtMs, judging);
    }
  }
}

function readBytes(objects: ObjectStore, { objectKey, range }: BatchJobPayload): Promise<Buffer> {
  return range === null ? objects.get(objectKey) : objects.getRange(objectKey, range.offset, range.sizeBytes);
}

function readRecord(
  batchId: string,
  record: DecodedRecord,
  sender: Sender,
  receivedAtMs: number,
  { keyOf, rules, outlines }: Judging,
): ReadEvent {
  const raw: unknown = JSON.parse(record.eventBytes.toString('utf8'));
  if (!isJsonObject(raw)) throw new DamagedObjectError('a record is not a JSON object');
  const acceptance: Acceptance = {
    eventClass: record.eventClass,
    isDemoted: record.isDemoted,
    isOriginBound: sender.isOriginBound,
    receivedAtMs,
    derivedId: () => derivedEventId(batchId, record.position),
  };
  const keyMaker = keyMakerOf(sender, keyOf);
  const judge = (each: JsonObject) => judgeWhole(each, acceptance, keyMaker, sender.tokenId !== null);
  const judged =
    outlines === null || sender.tokenId === null || keyMaker !== keyOf
      ? judge(raw)
      : outlines.judge(raw, acceptance, rules, judge);
  return {
    hashes: judged.hashes,
    clientKeys: judged.clientKeys,
    digest: judged.digest,
    idHash: judged.idHash,
    fingerprint: judged.fingerprint,
    severity: judged.severity,
    observations: judged.observations,
    facts: judged.facts,
    event: judged.event,
    batchId,
    record,
    tokenId: sender.tokenId,
    isOriginBound: sender.isOriginBound,
    failingCheck: sender.failingCheck,
    sampleId: sender.sampleId,
    keptAway: null,
  };
}

type Sender = Pick<ReadEvent, 'tokenId' | 'isOriginBound' | 'failingCheck' | 'sampleId'>;

/** The sender of the events of a request. */
function senderOf(request: BatchRequest): Sender {
  return { ...SERVICE_ITSELF, ...request };
}

/** The sender of an event, before the header names another one. */
const SERVICE_ITSELF: Sender = {
  tokenId: null,
  isOriginBound: false,
  failingCheck: null,
  sampleId: null,
};

/** Keys of checks and of sample data lead to incidents that no event of a client joins. */
function keyMakerOf(
  { failingCheck, sampleId }: Sender,
  keyOf: GroupingKeyMaker,
): Parameters<typeof judgeEvent>[2] {
  if (failingCheck !== null)
    return () => groupingKeyOf(availabilityFingerprint(failingCheck.checkId, failingCheck.kind));
  if (sampleId === null) return keyOf;
  return (event) => {
    const key = keyOf(event);
    return key === null ? null : sampleKeyOf(key, sampleId);
  };
}
