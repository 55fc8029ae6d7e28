import { RELEASE_CHARS_MAX, RELEASE_VERSION_PATTERN } from '@culprit/contract/releases/map-limits';
import { RELEASE_COMMITS_MAX } from '@culprit/contract/releases/release-limits';
import { parseRequestTimestamp } from '@culprit/contract/schemas/timestamps';
import { cleanText } from '@culprit/evidence/events/envelope/clean-text';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import type { AnnouncedArchive } from '../maps/archives/assemble-archive.ts';
import type { NewCommit } from '../releases/releases.queries.ts';
import { ToolFault } from './tool-words.ts';

/** The JSON bodies of build tools. Members that mean nothing here are skipped. */

const SHA1 = /^[0-9a-f]{40}$/;
const VERSION = new RegExp(RELEASE_VERSION_PATTERN, 'u');
/** Chunks of the largest archive, all of them full, with room for short ones. */
const CHUNKS_MAX = 1024;
const LINE_CHARS_MAX = 200;
const MESSAGE_CHARS_MAX = 500;
const SHA_CHARS_MAX = 64;

/** Messages of commits have any text, so what the database cannot keep becomes U+FFFD. @throws ToolFault */
export function readJson(body: Buffer): JsonObject {
  let value: unknown = null;
  try {
    value = JSON.parse(body.toString('utf8'), (_name, member: unknown) =>
      typeof member === 'string' ? cleanText(member, member.length) : member,
    );
  } catch {}
  if (!isJsonObject(value)) throw new ToolFault('The request is not a JSON object.');
  return value;
}

/** @throws ToolFault */
export function readArchiveBody(body: JsonObject): AnnouncedArchive & { projects: string[] } {
  const { checksum, chunks } = body;
  if (typeof checksum !== 'string' || !SHA1.test(checksum))
    throw new ToolFault('The checksum is not a SHA-1.');
  if (!Array.isArray(chunks) || chunks.length === 0 || chunks.length > CHUNKS_MAX) {
    throw new ToolFault(`An archive has 1 to ${CHUNKS_MAX} chunks.`);
  }
  const hashes = chunks.map((chunk) => {
    if (typeof chunk !== 'string' || !SHA1.test(chunk))
      throw new ToolFault('The name of a chunk is not a SHA-1.');
    return chunk;
  });
  const { version } = body;
  const release = version === undefined || version === null || version === '' ? null : readVersion(version);
  return { checksum, chunks: hashes, release, projects: readProjects(body) };
}

/** @throws ToolFault */
export function readVersion(value: unknown): string {
  const version = typeof value === 'string' ? value.trim() : '';
  if (!VERSION.test(version) || version.length > RELEASE_CHARS_MAX) {
    throw new ToolFault(
      `A release name has 1 to ${RELEASE_CHARS_MAX} characters without control characters.`,
    );
  }
  return version;
}

export function readProjects({ projects }: JsonObject): string[] {
  return Array.isArray(projects) ? projects.filter((each) => typeof each === 'string') : [];
}

/** Text of one line; null where there is none. */
export function readLine(value: unknown): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
  const text = typeof value === 'string' ? value.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim() : '';
  return text === '' ? null : text.slice(0, LINE_CHARS_MAX);
}

export function readTime(value: unknown): number | null {
  return typeof value === 'string' ? parseRequestTimestamp(value) : null;
}

/** Commits as `sentry-cli releases set-commits` sends them; null where the request says nothing of them. */
export function readCommits({ commits }: JsonObject): NewCommit[] | null {
  if (!Array.isArray(commits)) return null;
  return commits.slice(0, RELEASE_COMMITS_MAX).flatMap((commit) => {
    if (!isJsonObject(commit)) return [];
    const sha = readLine(commit.id);
    if (sha === null) return [];
    const timeMs = readTime(commit.timestamp);
    return {
      sha: sha.slice(0, SHA_CHARS_MAX),
      author_name: readLine(commit.author_name),
      message: typeof commit.message === 'string' ? commit.message.trim().slice(0, MESSAGE_CHARS_MAX) : '',
      committed_at: timeMs === null ? null : new Date(timeMs).toISOString(),
    };
  });
}
