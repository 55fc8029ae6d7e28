import { evaluateCapturePolicy, type ResolvedCapturePolicy } from '../capture/capture-policy.ts';
import type { GroupingKeyMaker } from '../events/fingerprint/memoized-fingerprint.ts';
import type { EventClass, MatchedPolicy } from '../events/normalize/event.ts';
import { type JudgedEvent, judgeEvent } from '../incidents/judge-event.ts';
import type { LocalEvent, LocalFile } from './local-file.ts';
import { localUuid } from './local-ids.ts';

/** An event that the policy let through. */
export interface AcceptedEvent {
  judged: JudgedEvent;
  eventClass: EventClass;
  matchedPolicy: MatchedPolicy | null;
  serviceId: string;
  /** In its file. */
  position: number;
}

/** Returns the events of a file that the policy accepts, judged as the server's event intake and worker do it. */
export function acceptEvents(
  file: LocalFile,
  events: readonly LocalEvent[],
  policy: ResolvedCapturePolicy,
  read: {
    keyOf: GroupingKeyMaker;
    serviceIdOf: (name: string, environment: string) => string;
  },
): AcceptedEvent[] {
  return events.flatMap(({ raw, facts, position }): AcceptedEvent[] => {
    const verdict = evaluateCapturePolicy(policy, facts);
    if (!verdict.accepted) return [];
    const { eventClass, matchedPolicy } = verdict;
    const judged = judgeEvent(
      raw,
      {
        eventClass,
        isDemoted: false,
        // A writer of these files can write any severity.
        isOriginBound: false,
        receivedAtMs: file.receivedAtMs,
        derivedId: () => derivedEventId(file, position),
      },
      (event) => read.keyOf(event),
    );
    const { name, environment } = judged.event.service;
    return [{ judged, eventClass, matchedPolicy, serviceId: read.serviceIdOf(name, environment), position }];
  });
}

/** Returns the id of an event that has none: the same whenever the file is read. */
function derivedEventId(file: LocalFile, position: number): string {
  return `evt_${localUuid('event', file.name, String(position))}`;
}
