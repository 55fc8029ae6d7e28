import { createHash } from 'node:crypto';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { debugIdOf } from '@culprit/contract/releases/debug-id';
import { GENERATED_BYTES_MAX, MAP_PATH_CHARS_MAX } from '@culprit/contract/releases/map-limits';
import type { beginMapUpload as endpoint } from '@culprit/contract/releases/map-uploads';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../platform/http/binding/problem.ts';

/** An announced file. */
export interface AnnouncedFile {
  path: string;
  debugId: string | null;
  generated: { sha256: string; sizeBytes: number };
  map: { sha256: string; sizeBytes: number };
}

/** An announced upload. */
export interface Announcement {
  release: string | null;
  files: AnnouncedFile[];
  /** The size of all files together. */
  sizeBytes: number;
  /** Equal for equal announcements. */
  manifestHash: Buffer;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f\\]/;

/**
 * Returns the announcement in a body.
 * @throws Problem `invalid_payload`, `payload_too_large`
 */
export function checkAnnouncement(body: BodyOf<typeof endpoint>, mapBytesMax: number): Announcement {
  const release = body.release?.trim() ?? null;
  const paths = new Set<string>();
  const files = body.files.map((file, index): AnnouncedFile => {
    const place = `/files/${index}`;
    const fault = pathFault(file.path);
    if (fault !== null) throw invalidPayload(`${place}/path`, fault);
    if (paths.has(file.path)) throw invalidPayload(`${place}/path`, 'must differ from the paths before it');
    paths.add(file.path);
    const debugId = debugIdOf(file.debug_id ?? '');
    if (debugId === null && release === null) {
      throw invalidPayload(`${place}/debug_id`, 'must be a UUID where the upload has no release');
    }
    if (file.generated.size_bytes > GENERATED_BYTES_MAX || file.map.size_bytes > mapBytesMax) {
      throw new Problem('payload_too_large');
    }
    return {
      path: file.path,
      debugId,
      generated: { sha256: file.generated.sha256, sizeBytes: file.generated.size_bytes },
      map: { sha256: file.map.sha256, sizeBytes: file.map.size_bytes },
    };
  });
  return {
    release,
    files,
    sizeBytes: files.reduce((sum, { generated, map }) => sum + generated.sizeBytes + map.sizeBytes, 0),
    manifestHash: createHash('sha256')
      .update(JSON.stringify([release, files]))
      .digest(),
  };
}

/** A path is a name and nothing more, but it is shown, and compared with addresses. */
export function pathFault(path: string): string | null {
  if (path.length > MAP_PATH_CHARS_MAX) return `must have at most ${MAP_PATH_CHARS_MAX} characters`;
  if (CONTROL.test(path)) return 'must have no backslash and no control character';
  const [first = '', ...rest] = path.split('/');
  if (first.includes(':')) return 'must be relative, without a drive or a scheme';
  if ([first, ...rest].some((part) => part === '' || part === '.' || part === '..')) {
    return 'must be relative, and no part of it empty, `.` or `..`';
  }
  return null;
}
