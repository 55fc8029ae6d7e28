import type { CaseFile, Expectation } from './case-file.ts';
import { type EventReading, readEvent } from './event-reading.ts';

/** One event of the corpus, and what is wrong with how it is read. */
interface JudgedCase {
  /** `stacks/kept/zig: writer, 2`. */
  name: string;
  file: CaseFile;
  cause: string;
  reading: EventReading | null;
  faults: string[];
}

/** One cause one key, two causes two keys, and each event shows what its cause says. */
export function judgeCases(files: readonly CaseFile[]): JudgedCase[] {
  const causesOfKey = new Map<string, Set<string>>();
  const cases = files.flatMap((file) =>
    file.causes.flatMap(({ name: cause, expected, events }) => {
      const readings = events.map(({ eventType, payload }) => readEvent(eventType, payload));
      const causeName = `${file.name}: ${cause}`;
      for (const reading of readings) {
        if (reading === null) continue;
        const causes = causesOfKey.get(reading.key) ?? new Set();
        causesOfKey.set(reading.key, causes.add(causeName));
      }
      return readings.map((reading, at) => ({
        name: `${causeName}, ${at + 1}`,
        file,
        cause,
        reading,
        faults: faultsOf(reading, readings[0] ?? null, expected),
      }));
    }),
  );
  for (const { reading, faults, file, cause } of cases) {
    const own = `${file.name}: ${cause}`;
    const others = [...(causesOfKey.get(reading?.key ?? '') ?? [])].filter((name) => name !== own);
    if (others.length > 0) faults.push(`fuses with ${others.join(' and ')}`);
  }
  return cases;
}

function faultsOf(reading: EventReading | null, first: EventReading | null, expected: Expectation): string[] {
  if (reading === null) return ['has no fingerprint'];
  const { type, title, severity, frame } = expected;
  return [
    reading.key === first?.key ? '' : 'splits from the first event of its cause',
    type === null || reading.type === type ? '' : `type ${reading.type}, not ${type}`,
    title === null || reading.title === title ? '' : `title ${reading.title}, not ${title}`,
    severity === null || reading.severity === severity ? '' : `severity ${reading.severity}, not ${severity}`,
    frame === null || isShown(reading.frame, frame) ? '' : `first frame ${frameText(reading.frame)}`,
  ].filter((fault) => fault !== '');
}

function isShown(shown: EventReading['frame'], expected: NonNullable<Expectation['frame']>): boolean {
  return (
    shown !== null &&
    endsWithName(shown.function, expected.function) &&
    endsWithName(shown.file ?? '', expected.file) &&
    (expected.line === null || shown.line === expected.line)
  );
}

/** Languages write the class, the module and the arguments in front of and behind the name that counts. */
function endsWithName(text: string, name: string | null): boolean {
  if (name === null) return true;
  const at = text.lastIndexOf(name);
  if (at === -1) return false;
  const before = text[at - 1] ?? '/';
  const behind = text[at + name.length] ?? '(';
  return !/[\p{L}\p{N}]/u.test(before) && !/[\p{L}\p{N}]/u.test(behind);
}

export function frameText(frame: EventReading['frame']): string {
  if (frame === null) return 'none';
  return `${frame.function} ${frame.file ?? '-'}${frame.line === null ? '' : `:${frame.line}`}`;
}
