import type { BundleDocument } from '@culprit/evidence/bundles/document/bundle-document';
import { fitDocument } from '@culprit/evidence/bundles/document/fit-document';
import { compareText } from '@culprit/evidence/bundles/evidence/choose-evidence';
import type { Validator } from '../../../platform/http/binding/schema-validator.ts';
import { ObjectMissingError, type ObjectStore } from '../../../platform/objects/object-store.ts';
import { readDocument } from '../document/stored-document.ts';

/** Sampled occurrences whose raw events are past their retention. */
export interface LostBodies {
  eventIds: ReadonlySet<string>;
  /** The occurrence that leads the document is one of them. */
  isPrimaryLost: boolean;
}

let isDocument: Validator | null = null;

/** The stored document; null when it is gone, cut or damaged. */
export async function readStoredDocument(
  objects: ObjectStore,
  key: string,
  sizeBytes: number | null,
): Promise<BundleDocument | null> {
  isDocument ??= await loadValidator();
  try {
    const bytes = await readDocument(objects, key, sizeBytes);
    if (bytes === null) return null;
    const document: unknown = JSON.parse(bytes.toString('utf8'));
    return isBundleDocument(document, isDocument) ? document : null;
  } catch (error) {
    if (error instanceof ObjectMissingError || error instanceof SyntaxError) return null;
    throw error;
  }
}

function isBundleDocument(value: unknown, isValid: Validator): value is BundleDocument {
  return isValid(value);
}

/** Not before the first lost body: the schemas and their compiler take 17 MB in each thread. */
async function loadValidator(): Promise<Validator> {
  const { DebugBundle } = await import('@culprit/contract/incidents/bundle');
  const { compileValidator } = await import('../../../platform/http/binding/schema-validator.ts');
  return compileValidator(DebugBundle);
}

/**
 * The document of a refresh, which must not shrink while it lives (docs/contract/incidents.md 8). What only a lost
 * body could show stays as the stored document has it. Where the primary body is lost, that one still leads: all it
 * had to say stays, and what came since fills the blocks it left empty and moves the counters.
 */
export function keepLostContents(
  fresh: BundleDocument,
  stored: BundleDocument,
  lost: LostBodies,
): BundleDocument {
  const kept = {
    ...fresh,
    context: mergedContext(fresh, stored, lost),
    metadata: mergedTimes(fresh, stored),
  };
  if (!lost.isPrimaryLost) return fitDocument(kept);
  const { severity, signals } = fresh.summary;
  const types = [...fresh.signal.source_event_types, ...stored.signal.source_event_types];
  return fitDocument({
    ...kept,
    captured_at: stored.captured_at,
    sdk: stored.sdk,
    service: stored.service,
    signal: {
      ...fresh.signal,
      signal_id: stored.signal.signal_id,
      signal_type: stored.signal.signal_type,
      source_event_types: [...new Set(types)].sort(compareText),
    },
    summary: { ...stored.summary, severity, signals },
    impact: {
      ...fresh.impact,
      customer_visible: fresh.impact.customer_visible || stored.impact.customer_visible,
    },
    reproduction: stored.reproduction,
    verification: stored.verification,
  });
}

function mergedContext(
  { context: fresh }: BundleDocument,
  { context: stored }: BundleDocument,
  lost: LostBodies,
): BundleDocument['context'] {
  const [winner, other] = lost.isPrimaryLost ? [stored, fresh] : [fresh, stored];
  const merged = { ...other, ...withoutEmpty(winner), ...listedOccurrences(fresh, stored, lost) };
  if (winner.error === null || winner.stack !== undefined) return merged;
  // The frames of the other document belong to another error.
  const { stack: _stack, ...rest } = merged;
  return rest;
}

/** Blocks that have contents. */
function withoutEmpty(context: BundleDocument['context']): Partial<BundleDocument['context']> {
  return Object.fromEntries(Object.entries(context).filter(([, block]) => block !== null));
}

/** Returns the occurrences that can be read, and those whose contents are stored only here; oldest first. */
function listedOccurrences(
  fresh: BundleDocument['context'],
  stored: BundleDocument['context'],
  { eventIds }: LostBodies,
): Pick<BundleDocument['context'], 'occurrences'> {
  const items = [
    ...(fresh.occurrences?.items ?? []),
    ...(stored.occurrences?.items ?? []).filter((item) => eventIds.has(item.event_id)),
  ];
  if (items.length === 0) return {};
  items.sort((a, b) => compareText(a.occurred_at, b.occurred_at) || compareText(a.event_id, b.event_id));
  return { occurrences: { version: 1, items } };
}

function mergedTimes(
  { metadata: fresh }: BundleDocument,
  { metadata: stored }: BundleDocument,
): BundleDocument['metadata'] {
  const updatedAt =
    compareText(fresh.updated_at, stored.updated_at) < 0 ? stored.updated_at : fresh.updated_at;
  return { ...fresh, created_at: stored.created_at, updated_at: updatedAt };
}
